/**
 * What must be true in every state, although everybody may die in it: the holds in force survive a
 * recovery and nothing else does, a check denies while one is in force, and nothing is left lying
 * about.
 */
import type { ModelDisk } from './model-disk.ts';
import type { PosixModel } from './posix-model.ts';
import type { World } from './posix-world.ts';
import { ODD, SENTINEL } from './protocol.ts';
import { factsOf, type HoldText, standing } from './reading.ts';
import { runAlone } from './solo.ts';
import type { Kept } from './specification.ts';

/** What a design offers besides the operations of its actors. */
export interface Design {
  readonly check: (disk: ModelDisk) => { readonly engaged: boolean };
  /** null: it has no recovery. */
  readonly recover: ((disk: ModelDisk) => unknown) | null;
}

export interface Fault {
  readonly breaks: string;
  readonly text: string;
}

/** What happens from a world on if everybody dies in it. */
interface Outlook {
  /** After recovery a plain reader finds something. */
  readonly plain: boolean;
  readonly stands: readonly HoldText[];
  readonly engaged: boolean;
  readonly junk: readonly string[];
  readonly bug: string | undefined;
  /** By record, and whether it is over: nothing else makes a difference to the faults. */
  readonly verdicts: Map<number, readonly Fault[]>;
}

const NO_FAULTS: readonly Fault[] = [];

export class Judge {
  /** By world. Worlds that differ in open handles alone have one in common. */
  private readonly outlooks: Outlook[] = [];
  private readonly model: PosixModel;
  private readonly design: Design;

  constructor(model: PosixModel, design: Design) {
    this.model = model;
    this.design = design;
  }

  /** `over`: nobody will take another step. */
  faults(world: World, kept: Kept, over: boolean): readonly Fault[] {
    this.outlooks[world.id] ??= this.outlookFrom(world);
    const outlook = this.outlooks[world.id]!;
    const key = kept.id * 2 + (over ? 1 : 0);
    let faults = outlook.verdicts.get(key);
    if (faults === undefined) {
      faults = this.judge(outlook, kept, over);
      outlook.verdicts.set(key, faults);
    }
    return faults;
  }

  private judge(outlook: Outlook, { ghost }: Kept, over: boolean): readonly Fault[] {
    const { plain, stands, engaged, junk, bug } = outlook;
    const { inForce, tolerated } = ghost;
    const recovers = this.design.recover !== null;
    const faults: Fault[] = [];
    const lost = inForce.find((text) => !stands.includes(text));
    if (lost !== undefined && (recovers || over)) {
      faults.push({ breaks: 'LOST', text: `${show(lost)} is in force and does not survive` });
    }
    const extra = stands.find((text) => !inForce.includes(text) && !tolerated.includes(text));
    if (extra !== undefined) {
      faults.push({ breaks: 'EXTRA', text: `${show(extra)} stands and is not in force` });
    }
    if (inForce.length > 0 && !engaged) {
      faults.push({ breaks: 'CHECK', text: 'a check answers free while a hold is in force' });
    }
    if (inForce.length > 0 && recovers && !plain) {
      faults.push({ breaks: 'PLAIN', text: 'after recovery a plain reader finds no sentinel' });
    }
    if (junk.length > 0 && recovers) {
      faults.push({ breaks: 'JUNK', text: `recovery leaves ${junk.join(', ')}` });
    }
    if (bug !== undefined) faults.push({ breaks: 'THREW', text: bug });
    return faults.length === 0 ? NO_FAULTS : faults;
  }

  private outlookFrom(open: World): Outlook {
    const world = this.model.close(open, () => true);
    const known = this.outlooks[world.id];
    if (known !== undefined) return known;
    const { check, recover } = this.design;
    const recovery = runAlone(this.model, world, recover ?? (() => null));
    const checking = runAlone(this.model, world, check);
    const recovered = recovery.world;
    const outlook = {
      plain: SENTINEL in recovered.names,
      stands: standing(recovered),
      engaged: checking.value?.engaged ?? false,
      junk: Object.keys(recovered.names).filter(isJunk),
      bug: recovery.bug ?? checking.bug,
      verdicts: new Map<number, readonly Fault[]>(),
    };
    this.outlooks[world.id] = outlook;
    return outlook;
  }
}

const isJunk = (path: string): boolean =>
  path !== SENTINEL &&
  !path.startsWith(`${SENTINEL}/`) &&
  !path.startsWith('draft-of-') && // a foreign writer's own
  !path.startsWith(ODD);

function show(text: HoldText): string {
  const { id, holder } = factsOf(text);
  return `hold ${id} of ${holder ?? 'nobody'}`;
}
