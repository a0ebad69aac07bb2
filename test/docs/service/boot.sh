# Boots systemd as the first process of a machine of its own, made of namespaces: what it writes
# stays in memory, but for the fleet's folder. Linux, and root. Who uses it is `machine.ts`.
#
#   unshare --mount sh boot.sh outside SCRATCH REPOSITORY NODE
#
# SCRATCH/fleet becomes /srv/fleet, owned by the user `fleet`. SCRATCH/pid says the machine's first
# process, as it is called outside. Returns when that process was killed.
set -eu

side=$1
scratch=$2
repository=$3
node=$4
machine=$scratch/machine
root=$machine/root

outside() {
  mkdir "$machine"
  mount -t tmpfs -o mode=755 machine "$machine"
  mkdir "$machine/upper" "$machine/work" "$root" "$machine/cgroup"
  # A group of its own, which the new namespace takes for the root of all.
  mount -t cgroup2 cgroup2 "$machine/cgroup"
  group=$machine/cgroup/fleet-test-$$
  mkdir "$group"
  # Killed is how it ends.
  sh -c 'echo $$ >"$1/cgroup.procs"; shift; exec "$@"' sh "$group" \
    setpriv --pdeathsig KILL unshare --mount --cgroup --uts --ipc --net --pid --fork --kill-child \
    sh "$0" inside "$scratch" "$repository" "$node" || :
  find "$group" -depth -type d -exec rmdir {} +
}

inside() {
  read -r pid _ </proc/self/stat
  mount -t overlay -o "lowerdir=/,upperdir=$machine/upper,workdir=$machine/work" machine "$root"
  furnish
  populate
  mkdir "$root/outside"
  cd "$root"
  pivot_root . outside
  echo "$pid" >"/outside$scratch/pid"
  # A container, as systemd sees it; it can set no clock, load no module and reboot nothing.
  exec chroot . sh -c '
    umount -l /outside
    exec env -i container=fleet-test PATH=/usr/local/bin:/usr/bin:/bin setpriv \
      --bounding-set -sys_time,-sys_module,-sys_boot --inh-caps -sys_time,-sys_module,-sys_boot \
      /lib/systemd/systemd --system --unit=fleet-test.target --log-target=journal
  ' </dev/null
}

# What systemd needs, and nothing by which it could reach the host: no devices, no kernel settings.
furnish() {
  mount -t proc proc "$root/proc"
  mount --bind "$root/proc/sys" "$root/proc/sys"
  mount -o remount,ro,bind "$root/proc/sys"
  mount -t sysfs -o ro sysfs "$root/sys"
  mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
  mount -t tmpfs -o mode=755 dev "$root/dev"
  for device in null zero full random urandom tty; do
    : >"$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
  done
  ln -s /proc/self/fd "$root/dev/fd"
  mkdir "$root/dev/shm"
  mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
  mount -t tmpfs -o mode=755 run "$root/run"
  mount -t tmpfs -o mode=1777 tmp "$root/tmp"
  # What this host starts early (file systems, devices, clean-up) is none of a test's affair.
  rm -rf "$root/etc/systemd/system" "$root/etc/systemd/user" "$root/var/log/journal"
  rm -rf "$root"/lib/systemd/system/*.wants "$root"/lib/systemd/user/*.wants
  mkdir -p "$root/etc/systemd/system" "$root/run/systemd/system"
  : >"$root/etc/fstab"
  tr -d - </proc/sys/kernel/random/uuid >"$root/etc/machine-id"
}

# Two users, the fleet, the commands as they are built here, and the unit as it is documented.
populate() {
  prepend "$root/etc/passwd" 'fleet:x:59990:59990::/nonexistent:/usr/sbin/nologin'
  prepend "$root/etc/passwd" 'mine:x:59991:59991::/home/mine:/bin/sh'
  prepend "$root/etc/group" 'fleet:x:59990:'
  prepend "$root/etc/group" 'mine:x:59991:'
  mkdir -p "$root/srv/fleet" "$root/usr/local/bin" "$root/home/mine" "$root/run/user/59991"
  mount --bind "$scratch/fleet" "$root/srv/fleet"
  chown -R 59990:59990 "$root/srv/fleet"
  chown 59991:59991 "$root/home/mine" "$root/run/user/59991"
  mkdir -p "$root/opt/repository"
  mount --bind "$repository" "$root/opt/repository"
  rm -f "$root/usr/local/bin/node"
  : >"$root/usr/local/bin/node"
  mount --bind "$node" "$root/usr/local/bin/node"
  ln -sf /opt/repository/packages/watcher/bin/fleet-watcher.js "$root/usr/local/bin/fleet-watcher"
  ln -sf /opt/repository/packages/fleet-cli/bin/fleet.js "$root/usr/local/bin/fleet"
  cp "$repository/docs/watcher/fleet-watcher.service" "$root/etc/systemd/system/"
  cp "$repository"/test/docs/service/units/* "$root/run/systemd/system/"
}

prepend() {
  printf '%s\n%s\n' "$2" "$(cat "$1")" >"$1.new"
  mv "$1.new" "$1"
}

"$side"
