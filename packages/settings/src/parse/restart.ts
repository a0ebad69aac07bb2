/**
 * The schema of `gateway.restart` in `profile.yaml`: how the gateway of a profile is restarted.
 * Whether somebody may have it run with their rights is decided by the command line.
 */
import * as z from 'zod';
import { mapping, truth } from './leaves.ts';

const UNIT = 'the name of a service unit, such as `gateway.service`';
const CONTAINER = 'the name of a container: letters, digits, `_`, `.` and `-`';
const MAX_WORDS = 64;
const WORD = 'text of at most 4096 characters, without a NUL';
const WORDS = `a list of 1 to ${MAX_WORDS} texts, the first of which is a program`;

/** As systemd's own grammar; no first `-`, which would be an option of systemctl. */
const unitPattern = /^[A-Za-z0-9:_.@\\][A-Za-z0-9:_.@\\-]{0,246}\.service$/;
/** As Docker and Podman name containers. */
const containerPattern = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;
/** Characters of one argument. */
const MAX_WORD = 4_096;

/** One of these keys names the means. */
const MEANS = ['systemd', 'command', 'container'] as const;
const ONE_MEANS = `one of ${MEANS.map((name) => `\`${name}\``).join(', ')}`;

export const restart = mapping({
  systemd: z
    .exactOptional(z.string({ error: UNIT }).regex(unitPattern, { error: UNIT }))
    .meta({ description: 'The service unit to restart with `systemctl restart`.' }),
  user: z
    .exactOptional(truth())
    .meta({ description: "With `systemd`: a unit of the user's manager (`systemctl --user`)." }),
  command: z
    .exactOptional(
      z
        .array(
          z
            .string({ error: WORD })
            .max(MAX_WORD, { error: WORD })
            .refine((text) => !text.includes('\0'), { error: WORD }),
          { error: WORDS },
        )
        .min(1, { error: WORDS })
        .max(MAX_WORDS, { error: WORDS })
        .refine(([program]) => program !== '', { error: WORDS }),
    )
    .meta({ description: 'A program and its arguments; no shell reads them.' }),
  container: z
    .exactOptional(z.string({ error: CONTAINER }).regex(containerPattern, { error: CONTAINER }))
    .meta({ description: 'The container to restart.' }),
  engine: z
    .exactOptional(z.enum(['docker', 'podman'], { error: '`docker` or `podman`' }))
    .meta({ description: 'With `container`: the program that restarts it. Default: `docker`.' }),
})
  .refine((means) => MEANS.filter((name) => means[name] !== undefined).length === 1, {
    error: ONE_MEANS,
  })
  .refine(({ user, systemd }) => user === undefined || systemd !== undefined, {
    error: '`user` only together with `systemd`',
  })
  .refine(({ engine, container }) => engine === undefined || container !== undefined, {
    error: '`engine` only together with `container`',
  })
  .meta({
    description:
      'How `fleet restart` restarts the gateway: one of `systemd`, `command`, `container`.',
  });

/** As read: exactly one of `systemd`, `command` and `container`. */
export type RestartSettings = z.infer<typeof restart>;
