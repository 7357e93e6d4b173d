// The look-up tables that several pages need, asked for once.
import { type HardwareEntry, isModels, type Models } from '../api/answers';
import { apiPath, ask, isObject } from '../api/client';
import { Resource } from '../api/resource.svelte';

export interface PredictorEntry {
  readonly name: string; readonly hardware?: string; readonly origin?: string; readonly meter?: string; readonly dtypes?: readonly string[]; readonly loss?: string;
  readonly errors?: { readonly ml: number; readonly module: number; readonly model: number }; readonly models?: readonly string[]; readonly trees?: number;
  readonly measurements?: number; readonly kinds?: readonly { readonly kind: string; readonly samples: number }[];
}
const isPredictors = (x: unknown): x is { predictors: PredictorEntry[] } => isObject(x) && Array.isArray(x['predictors']);

class Lookup {
  readonly models = new Resource<Models>();
  readonly predictors = new Resource<readonly PredictorEntry[]>();
  readonly hardware = new Resource<readonly HardwareEntry[]>();

  load(): void {
    const models = apiPath('models');
    this.models.load(models, (signal) => ask({ path: models, signal }, isModels));
    const predictors = apiPath('predictors');
    this.predictors.load(predictors, async (signal) => (await ask({ path: predictors, signal }, isPredictors)).predictors);
  }

  /** Predictors as the hardware they are for; the first is the server's own choice. */
  devices(now: string): { value: string; text: string }[] {
    const list = (this.predictors.data ?? []).map((p) => ({ value: p.name, text: p.hardware === undefined ? p.name : `${p.hardware} (${p.name})` }));
    return [{ value: '', text: now === '' ? 'the server’s' : now }, ...list];
  }
}

export const lookup = new Lookup();
