// Writes src/widgets/map/shapes.json: the outlines that the maps draw, projected and simplified, from the Census Bureau's
// states (us-atlas) and Natural Earth's countries (world-atlas); and where the cloud regions of data/regions.csv stand.
// With --check it only says whether the file is what it should be.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { geoCentroid, geoNaturalEarth1, geoPath } from 'd3-geo';
import { feature } from 'topojson-client';
import { presimplify, simplify } from 'topojson-simplify';

const here = dirname(fileURLToPath(import.meta.url));
const load = createRequire(import.meta.url);
const target = join(here, '..', 'src', 'widgets', 'map', 'shapes.json');
const WIDTH = 975;

// ISO 3166-1: world-atlas has numbers, our table of regions letters.
const NUMBERS = `004AFG 008ALB 010ATA 012DZA 016ASM 020AND 024AGO 028ATG 031AZE 032ARG 036AUS 040AUT 044BHS 048BHR 050BGD 051ARM
052BRB 056BEL 060BMU 064BTN 068BOL 070BIH 072BWA 076BRA 084BLZ 086IOT 090SLB 092VGB 096BRN 100BGR 104MMR 108BDI 112BLR 116KHM
120CMR 124CAN 132CPV 136CYM 140CAF 144LKA 148TCD 152CHL 156CHN 158TWN 170COL 174COM 175MYT 178COG 180COD 184COK 188CRI 191HRV
192CUB 196CYP 203CZE 204BEN 208DNK 212DMA 214DOM 218ECU 222SLV 226GNQ 231ETH 232ERI 233EST 234FRO 238FLK 239SGS 242FJI 246FIN
248ALA 250FRA 254GUF 258PYF 260ATF 262DJI 266GAB 268GEO 270GMB 275PSE 276DEU 288GHA 292GIB 296KIR 300GRC 304GRL 308GRD 312GLP
316GUM 320GTM 324GIN 328GUY 332HTI 334HMD 336VAT 340HND 344HKG 348HUN 352ISL 356IND 360IDN 364IRN 368IRQ 372IRL 376ISR 380ITA
384CIV 388JAM 392JPN 398KAZ 400JOR 404KEN 408PRK 410KOR 414KWT 417KGZ 418LAO 422LBN 426LSO 428LVA 430LBR 434LBY 438LIE 440LTU
442LUX 446MAC 450MDG 454MWI 458MYS 462MDV 466MLI 470MLT 474MTQ 478MRT 480MUS 484MEX 492MCO 496MNG 498MDA 499MNE 500MSR 504MAR
508MOZ 512OMN 516NAM 520NRU 524NPL 528NLD 531CUW 533ABW 534SXM 540NCL 548VUT 554NZL 558NIC 562NER 566NGA 570NIU 574NFK 578NOR
580MNP 583FSM 584MHL 585PLW 586PAK 591PAN 598PNG 600PRY 604PER 608PHL 612PCN 616POL 620PRT 624GNB 626TLS 630PRI 634QAT 638REU
642ROU 643RUS 646RWA 652BLM 654SHN 659KNA 660AIA 662LCA 663MAF 666SPM 670VCT 674SMR 678STP 682SAU 686SEN 688SRB 690SYC 694SLE
702SGP 703SVK 704VNM 705SVN 706SOM 710ZAF 716ZWE 724ESP 728SSD 729SDN 732ESH 740SUR 748SWZ 752SWE 756CHE 760SYR 762TJK 764THA
768TGO 776TON 780TTO 784ARE 788TUN 792TUR 795TKM 796TCA 798TUV 800UGA 804UKR 807MKD 818EGY 826GBR 831GGY 832JEY 833IMN 834TZA
840USA 850VIR 854BFA 858URY 860UZB 862VEN 876WLF 882WSM 887YEM 894ZMB`;
const LETTERS = new Map(NUMBERS.split(/\s+/).map((each) => [each.slice(0, 3), each.slice(3)]));
const BY_NAME = new Map([['Kosovo', 'XKX']]);  // It has no number.

// Where Google's regions stand, which the table of regions does not say.
const GOOGLE = `africa-south1 ZAF asia-east1 TWN asia-east2 HKG asia-northeast1 JPN asia-northeast2 JPN asia-northeast3 KOR asia-south1 IND
asia-south2 IND asia-southeast1 SGP asia-southeast2 IDN australia-southeast1 AUS australia-southeast2 AUS europe-central2 POL
europe-north1 FIN europe-north2 SWE europe-southwest1 ESP europe-west1 BEL europe-west2 GBR europe-west3 DEU europe-west4 NLD
europe-west6 CHE europe-west8 ITA europe-west9 FRA europe-west10 DEU europe-west12 ITA me-central1 QAT me-central2 SAU
me-west1 ISR northamerica-northeast1 CA-QC northamerica-northeast2 CA-ON northamerica-south1 MEX southamerica-east1 BRA
southamerica-west1 CHL us-central1 US-IA us-central2 US-OK us-east1 US-SC us-east2 US-GA us-east4 US-VA us-east5 US-OH
us-south1 US-TX us-west1 US-OR us-west2 US-CA us-west3 US-UT us-west4 US-NV`.split(/\s+/);
// Middles of the Canadian provinces that have cloud regions, in degrees; no outlines of them are among the packages.
const PROVINCES = { 'CA-QC': [-71.9, 52.9], 'CA-ON': [-85.3, 49.3], 'CA-AB': [-114.4, 53.9], 'CA-BC': [-124.9, 53.7] };

const regions = readFileSync(join(here, '..', '..', 'data', 'regions.csv'), 'utf8').trim().split('\n').slice(1)
  .map((line) => line.split(',')).map((f) => ({ code: f[0], name: f[1], kind: f[3], in: f[f.length - 1] }));

/** Whole units, each point relative to the one before; pieces that have no area at this size are left out. */
function outline(rings, offset = [0, 0]) {
  let d = '';
  for (const ring of rings) {
    const points = ring.map(([x, y]) => [Math.round(x + offset[0]), Math.round(y + offset[1])])
      .filter((p, i, all) => i === 0 || p[0] !== all[i - 1][0] || p[1] !== all[i - 1][1]);
    if (points.length < 4) continue;
    d += `M${points[0].join(' ')}l`;
    d += points.slice(1, -1).map((p, i) => `${p[0] - points[i][0]} ${p[1] - points[i][1]}`).join(' ').replaceAll(' -', '-');
    d += 'z';
  }
  return d;
}
const ringsOf = (geometry) => (geometry === null ? [] : geometry.type === 'Polygon' ? geometry.coordinates : geometry.coordinates.flat());
const round = ([x, y]) => [Math.round(x), Math.round(y)];

function states() {
  const topology = simplify(presimplify(load('us-atlas/states-albers-10m.json')), 1.2);
  const codes = new Map(regions.filter((r) => r.kind === 'us_state').map((r) => [r.name, r.code]));
  const out = {};
  for (const each of feature(topology, topology.objects.states).features) {
    const code = codes.get(each.properties.name);
    const d = outline(ringsOf(each.geometry));
    if (code !== undefined && d !== '') out[code] = { d, at: round(geoPath().centroid(each)) };
  }
  return { width: WIDTH, height: 610, places: out };
}

const projection = geoNaturalEarth1().fitWidth(WIDTH, { type: 'Sphere' });
const CUT = 6;  // Of empty sea at the top.

function countries() {
  const coarse = load('world-atlas/countries-110m.json');
  const fine = load('world-atlas/countries-50m.json');
  const known = new Set(regions.filter((r) => r.kind === 'country').map((r) => r.code));
  const codeOf = (each) => LETTERS.get(each.id) ?? BY_NAME.get(each.properties.name) ?? '';
  const path = geoPath(projection);
  const shift = ([x, y]) => [x, y - CUT];
  const out = {};
  const bare = [];  // Land that no region of ours is about.
  for (const each of feature(coarse, coarse.objects.countries).features) {
    const code = codeOf(each);
    if (code === 'ATA') continue;
    const drawn = [];
    // geoPath cuts at the antimeridian; its context hears of every point.
    path.context({ moveTo: (x, y) => drawn.push([[x, y]]), lineTo: (x, y) => drawn.at(-1).push([x, y]), closePath: () => drawn.at(-1).push(drawn.at(-1)[0]), arc: () => {} })(each);
    path.context(null);
    const d = outline(drawn, [0, -CUT]);
    if (d === '') continue;
    if (known.has(code)) out[code] = { d, at: round(shift(path.centroid(each))) };
    else bare.push({ name: each.properties.name, d });
  }
  // The figures of small countries would be lost: they are dots.
  for (const each of feature(fine, fine.objects.countries).features) {
    const code = codeOf(each);
    if (known.has(code) && out[code] === undefined) out[code] = { at: round(shift(projection(geoCentroid(each)))) };
  }
  // Of France the middle is in France, whatever else belongs to it; so are those of others with land far away.
  const middles = { FRA: [2.4, 46.6], USA: [-98.6, 39.8], NOR: [9.3, 61.2], NLD: [5.5, 52.2], PRT: [-8, 39.6], ESP: [-3.6, 40.3], CHL: [-71.2, -35.4], RUS: [96, 62], NZL: [172.5, -41.5], ECU: [-78.4, -1.4] };
  for (const [code, degrees] of Object.entries(middles)) out[code].at = round(shift(projection(degrees)));
  // By name in the CIA's list and too small for Natural Earth's.
  const points = { GIB: [-5.35, 36.14], GLP: [-61.5, 16.2], GUF: [-53.1, 4], MTQ: [-61, 14.6], REU: [55.5, -21.1], TUV: [179.2, -8.5] };
  for (const [code, degrees] of Object.entries(points)) if (known.has(code) && out[code] === undefined) out[code] = { at: round(shift(projection(degrees))) };
  return { width: WIDTH, height: 428, places: out, bare };
}

/** A dot for each cloud region, in the middle of where it stands, and pushed apart where dots would lie on each other. */
function clouds(world) {
  const albers = load('us-atlas/states-10m.json');
  const byName = new Map(regions.filter((r) => r.kind === 'us_state').map((r) => [r.name, r.code]));
  const middles = Object.fromEntries(Object.entries(world.places).map(([code, place]) => [code, place.at]));
  const onMap = (degrees) => { const [x, y] = projection(degrees); return [x, y - CUT]; };
  for (const each of feature(albers, albers.objects.states).features) {
    const code = byName.get(each.properties.name);
    if (code !== undefined) middles[code] = onMap(geoCentroid(each));
  }
  for (const [code, degrees] of Object.entries(PROVINCES)) middles[code] = onMap(degrees);
  const google = new Map();
  for (let i = 0; i < GOOGLE.length; i += 2) google.set(`gcp:${GOOGLE[i]}`, GOOGLE[i + 1]);
  const dots = regions.filter((r) => r.kind === 'cloud_region').map((r, i) => {
    const place = r.in.trim() || google.get(r.code);
    const middle = middles[place];
    if (middle === undefined) throw new Error(`${r.code} stands in ${place}, which is nowhere`);
    return { code: r.code, place, home: middle, at: [middle[0] + 3 * Math.cos(i), middle[1] + 3 * Math.sin(i)] };
  });
  const APART = 13;
  for (let round = 0; round < 400; round += 1) {
    for (const a of dots) {
      for (const b of dots) {
        if (a === b) continue;
        const dx = a.at[0] - b.at[0];
        const dy = a.at[1] - b.at[1];
        const distance = Math.hypot(dx, dy) || 0.01;
        if (distance >= APART) continue;
        const push = (APART - distance) / 4 / distance;
        a.at = [a.at[0] + dx * push, a.at[1] + dy * push];
        b.at = [b.at[0] - dx * push, b.at[1] - dy * push];
      }
      a.at = [a.at[0] + (a.home[0] - a.at[0]) * 0.01, a.at[1] + (a.home[1] - a.at[1]) * 0.01];
    }
  }
  return Object.fromEntries(dots.map((dot) => [dot.code, { at: round(dot.at), in: dot.place }]));
}

const world = countries();
const text = `${JSON.stringify({ us: states(), world, cloud: clouds(world) }).replaceAll('},"', '},\n"')}\n`;
if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') !== text) {
    process.stderr.write('web/src/widgets/map/shapes.json is not what its sources say: run `npm run shapes` in web/\n');
    process.exit(1);
  }
} else {
  writeFileSync(target, text);
}
