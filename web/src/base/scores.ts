// Scores of one's own, from a CSV with the columns model and score.

export function readScores(text: string): { scores: Map<string, number>; problem: string } {
  const scores = new Map<string, number>();
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const head = (lines[0] ?? '').toLowerCase().split(',').map((cell) => cell.trim());
  const model = head.indexOf('model');
  const score = head.indexOf('score');
  if (model < 0 || score < 0) return { scores, problem: 'The first line must name the columns model and score.' };
  for (const [i, line] of lines.slice(1).entries()) {
    const cells = line.split(',').map((cell) => cell.trim().replace(/^"|"$/g, ''));
    const value = Number(cells[score]);
    if (cells[score] === undefined || cells[score] === '' || !Number.isFinite(value)) return { scores: new Map(), problem: `Line ${String(i + 2)}: “${cells[score] ?? ''}” is no number.` };
    scores.set(cells[model] ?? '', value);
  }
  return scores.size === 0 ? { scores, problem: 'It has no scores.' } : { scores, problem: '' };
}
