// All models for a size and a device, and two of them beside each other.
import type { Memory, RawBasis, Role } from './answers';
import { isObject } from './client';

export interface Score { task: string; metric: string; value: number; source: string; year: number }
export interface LeaderRow {
  model: string; model_type: string; class: string; kind: string; params: number; dtype: string;
  energy_j?: number; energy_low_j?: number; energy_high_j?: number;
  pass: { energy_j: number; energy_low_j: number; energy_high_j: number; time_s?: number };
  memory: Memory; score?: Score; meets_budgets: boolean; front: { params: boolean; time: boolean; score: boolean }; basis: RawBasis;
}
export interface Leaderboard {
  headline: string; batch_size: number; seq_len?: number; per: string; execution?: string; hardware: string; predictor: string;
  tasks: string[]; rows: LeaderRow[]; left_out: { model: string; why: string }[];
}
export const isLeaderboard = (x: unknown): x is Leaderboard => isObject(x) && Array.isArray(x['rows']) && typeof x['headline'] === 'string';

export interface Side {
  model: string; class: string; batch_size: number; seq_len: number; past?: number; dtype: string; attention?: string; execution?: string;
  hardware: string; predictor: string; params?: number; flops?: number; bytes?: number; time_s?: number;
  energy_j: number; energy_low_j?: number; energy_high_j?: number; power_w?: number; energy_per_item_j?: number; compared_j: number;
  memory: Memory; basis: RawBasis; headline: string; roles: Role[];
}
export interface PartEstimate { energy_j: number; energy_low_j: number; energy_high_j: number; time_s?: number }
export interface Part {
  scope?: string; type?: string; role?: string; a: PartEstimate | null; b: PartEstimate | null; difference_j: number;
  share_of_difference: number; ratio?: number; ratio_low?: number; ratio_high?: number;
}
export interface Pair {
  headline: string; per: string; aligned_by: string; ratio: number; ratio_low: number; ratio_high: number; difference_j: number;
  a: Side; b: Side; parts: Part[]; notes: string[];
}
export const isPair = (x: unknown): x is Pair => isObject(x) && isObject(x['a']) && isObject(x['b']) && Array.isArray(x['parts']);
