/**
 * Filters events by type, and by the profiles that they concern. In doubt an event is shown.
 */
import { type FleetEvent, namesIn, type Snapshot } from '../../watcher-client/event-message.ts';

export interface EventFilter {
  readonly isWanted: (event: FleetEvent) => boolean;
  /** Remembers which gateway serves which profiles, because not every gateway event names them. */
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
        // Events of the root concern every profile.
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

/** Splits `gateway/<instance>` at the first slash, because an instance may contain slashes. */
function splitSubject(subject: string): readonly string[] {
  const at = subject.indexOf('/');
  return at === -1 ? [subject] : [subject.slice(0, at), subject.slice(at + 1)];
}

/** The profile of a settings file; null: it is `fleet.yaml`, or unknown. */
const profileOfSettings = (path: unknown): string | null =>
  (typeof path === 'string' && /\/profiles\/([^/]+)\/profile\.yaml$/.exec(path)?.[1]) || null;
