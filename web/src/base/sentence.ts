// What the server says, as a sentence: its messages begin with small letters and end without a full stop.

export const sentence = (text: string): string => (text === '' ? '' : `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}${/[.!?:]$/.test(text) ? '' : '.'}`);
