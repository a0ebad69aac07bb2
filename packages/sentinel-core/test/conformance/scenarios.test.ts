/**
 * Every recorded scenario is built on the real disk and asked of our code: the answer is the
 * recorded one in every field, or a deviation that `deviations.ts` names, and never laxer.
 * Stamps and durations have tests of their own.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, type TestContext } from 'vitest';
import { answer } from './answers.ts';
import { differingFields, type Ours, recordedAnswers, whereLaxer } from './compare.ts';
import { DEVIATIONS, deviatingFields } from './deviations.ts';
import { buildFleet, presentIn } from './folder.ts';
import { readScenarios, type Scenario } from './recorded.ts';
import { isSuperuser, ordinaryUser } from './unprivileged.ts';

const base = mkdtempSync(join(tmpdir(), 'fleet-conformance-'));
let built = 0;
afterAll(() => rmSync(base, { recursive: true, force: true }));
const user = await ordinaryUser(base);

const scenarios = readScenarios();
const meant = scenarios.filter(({ id }) => deviatingFields(id).length > 0);
const equal = scenarios.filter((scenario) => !meant.includes(scenario));

async function ask(scenario: Scenario, { skip }: TestContext): Promise<Ours> {
  const ordinary = scenario.run_as === 'unprivileged';
  if (ordinary && typeof user === 'string') return skip(user);
  if (!ordinary && !isSuperuser && needsSuperuser(scenario)) {
    return skip('a superuser is meant to ask, and this is an ordinary user');
  }
  const asUser = ordinary && typeof user !== 'string' ? user : undefined;
  const fleet = join(base, String(built++));
  const asked = await buildFleet(scenario, `${fleet}-asked`, { owner: asUser?.owner });
  const lifted = await buildFleet(scenario, `${fleet}-lifted`, { owner: asUser?.owner });
  const questions = {
    askedHome: asked.home,
    liftedHome: lifted.home,
    pairs: scenario.verdict.allowed,
  };
  const answers = asUser === undefined ? answer(questions) : asUser.ask(questions);
  return {
    ...answers,
    present_after_engaged: presentIn(asked),
    present_after_disengage: presentIn(lifted),
  };
}

/** A file that may be read only because file modes do not bind whoever asks. */
function needsSuperuser({ disk }: Scenario): boolean {
  return disk.root.kind === 'file' && disk.root.mode === '0000';
}

describe('recorded scenarios', () => {
  it('are all there, and at most one in ten deviates', () => {
    expect(scenarios).toHaveLength(365);
    expect(meant.length).toBeLessThanOrEqual(36);
  });

  for (const scenario of equal) {
    it(`${scenario.id} is answered as recorded`, async (context) => {
      const ours = await ask(scenario, context);
      expect(whereLaxer(scenario, ours), 'laxer than upstream').toEqual([]);
      expect(ours).toStrictEqual(recordedAnswers(scenario));
    });
  }
});

describe('named deviations', () => {
  it('name recorded scenarios only, each for one reason a field', () => {
    const known = new Set(scenarios.map(({ id }) => id));
    for (const { differs } of DEVIATIONS) {
      for (const id of Object.keys(differs)) {
        expect(known, id).toContain(id);
        const fields = deviatingFields(id);
        expect(new Set(fields).size, id).toBe(fields.length);
      }
    }
  });

  for (const scenario of meant) {
    it(`${scenario.id} is nowhere laxer, and differs since ${whyOf(scenario)}`, async (context) => {
      const ours = await ask(scenario, context);
      expect(whereLaxer(scenario, ours), 'laxer than upstream').toEqual([]);
      expect(differingFields(scenario, ours).sort()).toStrictEqual(
        deviatingFields(scenario.id).toSorted(),
      );
    });
  }
});

function whyOf({ id }: Scenario): string {
  return DEVIATIONS.filter(({ differs }) => id in differs)
    .map(({ name }) => name)
    .join(' and ');
}
