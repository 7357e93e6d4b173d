// What the server says, as a sentence: its messages begin with small letters and end without a full stop.

export function sentence(text: string): string {
  const end = text === '' || /[.!?:]$/.test(text) ? '' : '.';
  return `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}${end}`;
}
