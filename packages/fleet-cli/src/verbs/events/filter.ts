/**
 * Which events were asked for: by type, and by the profiles that they concern. In doubt one is shown.
 */
import { type FleetEvent, namesIn, type Snapshot } from '../../watcher-client/event-message.ts';

export interface EventFilter {
  readonly isWanted: (event: FleetEvent) => boolean;
  /** Takes note of which gateway serves whom: not every event of a gateway says so. */
  readonly learn: (snapshot: Snapshot) => void;
}

export interface FilterOptions {
  /** null: every type. */
  readonly types: readonly ((type: string) => boolean)[] | null;
  /** null: all of them. */
  readonly profiles: ReadonlySet<string> | null;
}

export function eventFilter({ types, profiles }: FilterOptions): EventFilter {
  const served = new Map<string, readonly string[]>();

  const concerns = (event: FleetEvent, wanted: ReadonlySet<string>): boolean => {
    const [kind, name = ''] = splitSubject(event.subject);
    switch (kind) {
      case 'profile':
        return wanted.has(name);
      case 'gateway': {
        const { profile } = event.data;
        if (typeof profile === 'string') return wanted.has(profile);
        return served.get(name)?.some((profileName) => wanted.has(profileName)) ?? true;
      }
      case 'config': {
        const profileName = profileOfSettings(event.data['path']);
        return profileName === null || wanted.has(profileName);
      }
      default:
        // What is done in the root binds every profile.
        return true;
    }
  };

  const learnFrom = ({ type, subject, data }: FleetEvent): void => {
    const [, name = ''] = splitSubject(subject);
    if (type === 'gateway.connected') served.set(name, namesIn(data['profiles']));
  };

  return {
    isWanted(event) {
      learnFrom(event);
      const isConcerned = profiles === null || concerns(event, profiles);
      if (event.type === 'gateway.gone') served.delete(splitSubject(event.subject)[1] ?? '');
      return isConcerned && (types?.some((fits) => fits(event.type)) ?? true);
    },
    learn({ gateways }) {
      served.clear();
      for (const { instance, profiles: profileNames } of gateways)
        served.set(instance, profileNames);
    },
  };
}

/** `gateway/<instance>`: an instance may have slashes of its own. */
function splitSubject(subject: string): readonly string[] {
  const at = subject.indexOf('/');
  return at === -1 ? [subject] : [subject.slice(0, at), subject.slice(at + 1)];
}

/** The profile that a settings file is of; null: it is everybody's, or nobody can tell. */
const profileOfSettings = (path: unknown): string | null =>
  (typeof path === 'string' && /\/profiles\/([^/]+)\/profile\.yaml$/.exec(path)?.[1]) || null;
