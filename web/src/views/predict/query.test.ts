import { describe, expect, it } from 'vitest';
import { commandLine, curlLine, DEFAULTS, inAddress, parameters, readPredict } from './query';

describe('the query bar', () => {
  it('reads an address, and takes the default for what makes no sense', () => {
    expect(readPredict({})).toEqual(DEFAULTS);
    expect(readPredict({ batch: '-3', seq: '1e3', past: 'x' })).toMatchObject({ batch: 16, seq: 1000, past: 0 });
    expect(readPredict({ batch: '8', 'b.batch': '4' }, 'b.').batch).toBe(4);
  });
  it('leaves defaults out of the address', () => {
    expect(inAddress({ batch: 16, seq: 64, as: '' })).toEqual({ batch: undefined, seq: '64', as: undefined });
  });
  it('asks for a decode step without a length', () => {
    expect(parameters({ ...DEFAULTS, past: 100 })).toMatchObject({ past: 100, seq: undefined });
    expect(parameters({ ...DEFAULTS, set: 'a=1; b=2;' })['set']).toEqual(['a=1', 'b=2']);
  });
  it('writes lines that a shell takes as they are', () => {
    expect(commandLine({ ...DEFAULTS, model: "x'; rm -rf ~", set: 'a=1' })).toBe("wattree predict 'x'\\''; rm -rf ~' -b 16 -s 128 --dtype bf16 --set a=1");
    expect(curlLine("http://h/?model=a'b")).toBe("curl -s 'http://h/?model=a%27b'");
  });
});
