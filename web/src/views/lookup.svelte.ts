// The look-up tables that several pages need, asked for once.
import { isModels, type Models } from '../api/answers';
import { apiPath, ask } from '../api/client';
import { isPredictors, type Predictable, type Predictors } from '../api/leaderboard';
import { isRegions, type Regions } from '../api/regions';
import { Resource } from '../api/resource.svelte';

const DTYPES = ['fp32', 'tf32', 'bf16', 'fp16', 'int8', 'int4'];

class Lookup {
  readonly models = new Resource<Models>();
  readonly predictors = new Resource<Predictors>();
  readonly regions = new Resource<Regions>();

  load(): void {
    const models = apiPath('models');
    this.models.load(models, (signal) => ask({ path: models, signal }, isModels));
    const predictors = apiPath('predictors');
    this.predictors.load(predictors, (signal) => ask({ path: predictors, signal }, isPredictors));
  }

  /** Only pages about runs need them. */
  loadRegions(): void {
    const path = apiPath('regions');
    this.regions.load(path, (signal) => ask({ path, signal }, isRegions));
  }

  get hardware(): readonly Predictable[] {
    return this.predictors.data?.hardware ?? [];
  }

  /** Precisions that can be predicted on some hardware; of the server's own choice, which is the first, where none is named. */
  dtypes(on: string): readonly string[] {
    const found = this.hardware.find((d) => d.on === on || d.hardware === on || (d.aliases ?? []).includes(on)) ?? this.hardware[0];
    return DTYPES.filter((dtype) => found === undefined || (found.dtypes as readonly string[]).includes(dtype));
  }
}

export const lookup = new Lookup();
