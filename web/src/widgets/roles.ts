const NAMES: Readonly<Record<string, string>> = {
  feed_forward: 'Feed-forward', experts: 'Experts', attention_projections: 'Attention projections', attention: 'Attention',
  norm_and_residual: 'Norms and residuals', embeddings: 'Embeddings', head: 'Head', convolution: 'Convolution', recurrent: 'Recurrent', other: 'Other',
};

export const roleName = (role: string): string => NAMES[role] ?? role.replaceAll('_', ' ');
