// The look-up tables that several pages need, asked for once.
import { isModels, type Models } from '../api/answers';
import { apiPath, ask } from '../api/client';
import { isPredictors, type Predictor } from '../api/leaderboard';
import { isRegions, type Regions } from '../api/regions';
import { Resource } from '../api/resource.svelte';

class Lookup {
  readonly models = new Resource<Models>();
  readonly predictors = new Resource<readonly Predictor[]>();
  readonly regions = new Resource<Regions>();

  load(): void {
    const models = apiPath('models');
    this.models.load(models, (signal) => ask({ path: models, signal }, isModels));
    const predictors = apiPath('predictors');
    this.predictors.load(predictors, async (signal) => (await ask({ path: predictors, signal }, isPredictors)).predictors);
  }

  /** Only pages about runs need them. */
  loadRegions(): void {
    const path = apiPath('regions');
    this.regions.load(path, (signal) => ask({ path, signal }, isRegions));
  }

  /** Predictors as the hardware they are for; the first is the server's own choice. */
  devices(now: string): { value: string; text: string }[] {
    const list = (this.predictors.data ?? []).map((p) => ({ value: p.name, text: `${p.hardware} (${p.name})` }));
    return [{ value: '', text: now === '' ? 'the server’s' : now }, ...list];
  }
}

export const lookup = new Lookup();
