/**
 * The roles that keep no hold of their own: they retire, recover, lift everyone's, or only look.
 * What their work must never do is noticed by the holders and from the main process.
 */
import { lift } from '../../src/disk/lift.ts';
import { recover } from '../../src/disk/recover.ts';
import { retire } from '../../src/disk/retire.ts';
import { everyoneLifts } from './everyone.ts';
import { lookOnce } from './looks.ts';
import { anyPatience, type Post, type Work } from './post.ts';

export function retirer({ orders, ledger, dice }: Post): Work {
  return {
    step(disk) {
      const answer = retire(disk, orders.scope, { tries: dice.between(1, 3) });
      if (answer.retired) ledger.count('op retire');
      // Nothing to retire: leave the processor to those who make something.
      else if (dice.chance(0.1)) disk.pause(0);
    },
  };
}

export function recoverer({ orders, ledger, dice }: Post): Work {
  return {
    step(disk) {
      // By force too: a live owner's work is finished or given back under it.
      const { swept } = recover(disk, orders.scope, { force: dice.chance(0.2) });
      ledger.count('op recover');
      if (swept.length > 0) ledger.count('swept');
      disk.pause(dice.below(3));
    },
  };
}

export function everyoneLifter({ orders, ledger, dice }: Post): Work {
  const lifts = everyoneLifts(ledger);
  return {
    step(disk) {
      disk.pause(dice.below(6));
      disk.pause(dice.below(6));
      const end = lifts.begin();
      const answer = lift(disk, orders.scope, { everyone: true }, {}, anyPatience(dice));
      ledger.count(answer.lifted ? 'op lift-everyone' : `odd lift-everyone ${answer.why}`);
      end();
    },
  };
}

export function looker({ orders, ledger, dice }: Post): Work {
  return {
    step(disk) {
      if (dice.chance(0.1)) disk.pause(0);
      lookOnce({ ...orders, ledger, disk, by: 'look' });
    },
  };
}
