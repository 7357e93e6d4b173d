const NAMES: Readonly<Record<string, string>> = {
  feed_forward: 'Feed-forward', experts: 'Experts', attention_projections: 'Attention projections', attention: 'Attention',
  norm_and_residual: 'Norms and residuals', embeddings: 'Embeddings', head: 'Head', convolution: 'Convolution', recurrent: 'Recurrent', other: 'Other',
};

export const roleName = (role: string): string => NAMES[role] ?? role.replaceAll('_', ' ');

/** For places that have no room for the whole. */
const SHORT: Readonly<Record<string, string>> = { attention_projections: 'Projections', norm_and_residual: 'Norms' };
export const shortRole = (role: string): string => SHORT[role] ?? roleName(role);
