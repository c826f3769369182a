#!/usr/bin/env bash
# Sets up Debian trixie with Wine 10 in a folder, for the interop tests: Debian 12's Wine 8 cannot join a session.
#
#   setup.sh [DIR]            set up, or finish what was interrupted; nothing to do when it is finished
#   setup.sh --check [DIR]    say whether it is finished (exit status 0) or not (1)
#   setup.sh --remove [DIR]   remove what setup.sh made
#
# DIR is $DPLAY_WINE_ROOT if it is not given, else $XDG_CACHE_HOME/dplay4/wine. The first time takes about three
# minutes, 4 GB and root. Everything is mounted in a mount namespace that ends with this script, however it
# ends: nothing stays mounted, nothing stays running. Each step leaves a mark, so that a second run goes on where
# the first was interrupted. DPLAY_DEBIAN_MIRROR names another mirror than debootstrap's own, DPLAY_DEBIAN_SUITE
# another suite than trixie; without it, stable is tried where a mirror has only half of the newest trixie.
set -euo pipefail

say() { echo "setup: $*"; }
die() {
	echo "setup: $*" >&2
	exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }
suite=${DPLAY_DEBIAN_SUITE:-trixie}

# The marks. baseMark holds the suite, or "adopted" if that Debian was there before. wineMark is what compat/wine looks for; it
# holds Wine's version.
baseMark=.dplay-base
wineMark=.dplay-wine
home=/opt/dplay     # of whoever runs Wine there
prefix=$home/prefix # the template of every client's WINEPREFIX; prefix64 is that for programs of 64 bits

finished() { [ -s "$1/$wineMark" ] && [ -e "$1$prefix/system.reg" ] && [ -e "$1${prefix}64/system.reg" ]; }

# ---- inside the namespaces: $0 --inside DIR ----

# mounted_root mounts what programs in the folder need. It is undone when the mount namespace goes.
mounted_root() {
	mount --make-rprivate /
	mount -t proc proc "$1/proc"
	mount --rbind /sys "$1/sys"
	mount --rbind /dev "$1/dev"
}

isolate=() # what in_root runs under
in_root() {
	local dir=$1
	shift
	"${isolate[@]}" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=$home LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
		DISPLAY= WINEDEBUG=-all WINEPREFIX=$prefix WINEARCH=win32 WINEDLLOVERRIDES='mscoree,mshtml=' \
		http_proxy="${http_proxy:-}" chroot "$dir" "$@"
}

# base makes a minimal Debian beside DIR, and renames it when it is whole.
base() {
	local dir=$1 part=$1.part
	if [ -e "$dir/$baseMark" ]; then
		case "$(cat "$dir/$baseMark")" in
		"$suite" | adopted) return 0 ;;
		*) die "$dir holds another Debian than $suite; remove it first, with setup.sh --remove" ;;
		esac
	fi
	if [ -e "$dir/usr/bin/apt-get" ] && [ ! -e "$dir/debootstrap" ] && grep -q '^VERSION_CODENAME=trixie' "$dir/etc/os-release"; then
		say "$dir holds a Debian trixie already: using it"
		echo adopted >"$dir/$baseMark"
		return 0
	fi
	if [ -d "$dir" ]; then
		rmdir "$dir" 2>/dev/null || die "$dir exists, is not empty and holds no Debian trixie; name another folder"
	fi
	say "Debian $suite, about a minute (log: $dir.log)"
	rm -rf --one-file-system "$part"
	mkdir -p "$part"
	debootstrap --variant=minbase "$suite" "$part" ${DPLAY_DEBIAN_MIRROR:+"$DPLAY_DEBIAN_MIRROR"} >>"$dir.log" 2>&1
	echo "$suite" >"$part/$baseMark"
	mv "$part" "$dir"
}

wine_packages() {
	local dir=$1
	if ! in_root "$dir" wine --version >/dev/null 2>&1 || ! in_root "$dir" dpkg -s wine32:i386 >/dev/null 2>&1; then
		say "Wine, about two minutes"
		cp /etc/resolv.conf "$dir/etc/resolv.conf"
		{
			in_root "$dir" dpkg --configure -a # of an interrupted run
			in_root "$dir" dpkg --add-architecture i386
			in_root "$dir" apt-get update
			in_root "$dir" apt-get install -y --no-install-recommends wine wine64 wine32:i386
			in_root "$dir" apt-get clean
		} >>"$dir.log" 2>&1
	fi
	case $(in_root "$dir" wine --version) in
	wine-[1-9].*) die "$dir has $(in_root "$dir" wine --version); it has to be 10 or later" ;;
	esac
}

# wine_prefix lets Wine make a configuration once; every client starts from a copy.
wine_prefix() {
	local dir=$1 prefix=$2 arch=$3
	[ ! -e "$dir$prefix/system.reg" ] || return 0
	say "Wine's configuration of $arch, 15 seconds"
	rm -rf --one-file-system "$dir$prefix" "$dir$prefix.part"
	mkdir -p "$dir$prefix.part"
	isolate=(unshare --net --) # no Wine of ours ever runs on a network that leads out
	{
		in_root "$dir" env WINEPREFIX="$prefix.part" WINEARCH="$arch" wineboot -i
		in_root "$dir" env WINEPREFIX="$prefix.part" WINEARCH="$arch" wineserver -w
	} >>"$dir.log" 2>&1
	isolate=()
	[ -s "$dir$prefix.part/system.reg" ] || die "Wine made no configuration of $arch; see $dir.log"
	mv "$dir$prefix.part" "$dir$prefix"
}

inside() {
	local dir=$1
	log=$dir.log # of this script: the trap comes when what is local here is gone
	trap '[ $? -eq 0 ] || tail -n 20 "$log" >&2' EXIT
	: >"$dir.log"
	mount --make-rprivate /
	base "$dir"
	mounted_root "$dir"
	wine_packages "$dir"
	wine_prefix "$dir" $prefix win32
	wine_prefix "$dir" ${prefix}64 win64
	in_root "$dir" wine --version >"$dir/$wineMark.part"
	mv "$dir/$wineMark.part" "$dir/$wineMark"
	trap - EXIT
	rm -f "$dir.log"
}

# ---- outside ----

need_root() { [ "$(id -u)" -eq 0 ] || die "$1 needs root"; }

# tools installs what the setup and the tests run: debootstrap, the compiler for Windows, namespaces.
tools() {
	local missing=()
	has debootstrap || missing+=(debootstrap)
	has i686-w64-mingw32-gcc || missing+=(gcc-mingw-w64-i686)
	has x86_64-w64-mingw32-gcc || missing+=(gcc-mingw-w64-x86-64)
	has ip || missing+=(iproute2)
	has nsenter && has unshare || missing+=(util-linux)
	has mount || missing+=(mount)
	[ ${#missing[@]} -gt 0 ] || return 0
	has apt-get || die "please install what Debian calls ${missing[*]}"
	need_root "installing ${missing[*]}"
	say "installing ${missing[*]}"
	apt-get update -q >/dev/null
	DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}" >/dev/null
}

# runs_32 fails where the kernel runs no programs of 32 bits, which Wine's loader is. It runs the smallest one: exit(0).
runs_32() {
	local program said
	program=$(mktemp)
	printf '\x7fELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\3\0\1\0\0\0\x54\x80\4\x08\x34\0\0\0\0\0\0\0\0\0\0\0\x34\0\x20\0\1\0\0\0\0\0\0\0' >"$program"
	printf '\1\0\0\0\0\0\0\0\0\x80\4\x08\0\x80\4\x08\x5d\0\0\0\x5d\0\0\0\5\0\0\0\0\x10\0\0' >>"$program"
	printf '\xb8\1\0\0\0\x31\xdb\xcd\x80' >>"$program" # mov eax,1; xor ebx,ebx; int 0x80
	chmod +x "$program"
	said=$(LC_ALL=C bash -c '"$1"' bash "$program" 2>&1) || true
	rm -f "$program"
	[[ $said != *"Exec format error"* ]]
}

remove() {
	local dir=$1
	need_root "removing"
	! grep -qF " $dir/" /proc/self/mountinfo || die "something is mounted below $dir; unmount it first"
	if [ -e "$dir.lock" ]; then
		exec 9>"$dir.lock"
		flock -n 9 || die "a setup is at work on $dir"
	fi
	if [ -d "$dir" ]; then
		[ -e "$dir/$baseMark" ] && [ "$(cat "$dir/$baseMark")" != adopted ] || die "$dir was not made by setup.sh"
		rm -rf --one-file-system "$dir"
	fi
	rm -rf --one-file-system "$dir.part" "$dir.log" "$dir.lock"
	say "removed $dir"
}

# isolated sets up in a mount namespace and a PID namespace of its own.
isolated() {
	DPLAY_DEBIAN_SUITE=$suite unshare --mount --pid --fork --kill-child=SIGKILL --mount-proc -- bash "$0" --inside "$1" &
	local child=$!
	trap 'kill -KILL "$child"' INT TERM HUP # and with it everything inside
	wait "$child"
}

# half_mirror reports whether the setup of a Debian trixie that we made failed as the mirror has not all that its index names.
half_mirror() { [ "$(cat "$1/$baseMark" 2>/dev/null)" = trixie ] && grep -qE '404 +Not Found|Mirror sync in progress' "$1.log"; }

setup() {
	local dir=$1
	runs_32 || die "this machine's kernel runs no programs of 32 bits, which Wine is and most games are"
	tools
	if finished "$dir"; then
		say "$dir is finished: $(cat "$dir/$wineMark")"
		return
	fi
	need_root "setting up $dir"
	mkdir -p "$(dirname "$dir")"
	exec 9>"$dir.lock"
	flock -n 9 || { say "another setup is at work on $dir: waiting for it" && flock 9; }
	if ! finished "$dir"; then
		if [ -z "${DPLAY_DEBIAN_SUITE:-}" ] && [ "$(cat "$dir/$baseMark" 2>/dev/null)" = stable ]; then
			suite=stable # where the run before was interrupted
		fi
		isolated "$dir" || {
			[ -z "${DPLAY_DEBIAN_SUITE:-}" ] && half_mirror "$dir" || die "not finished; run it again to go on"
			say "the mirror has half of Debian trixie only: once more, from its suite stable"
			rm -rf --one-file-system "$dir"
			suite=stable
			isolated "$dir" || die "not finished; run it again to go on"
		}
	fi
	say "$dir is finished after $SECONDS s: $(cat "$dir/$wineMark")"
}

main() {
	local what=setup dir
	case ${1:-} in
	--inside | --check | --remove)
		what=${1#--}
		shift
		;;
	-h | --help)
		sed -n '2,/^set /s/^# \{0,1\}//p' "$0"
		return
		;;
	-*) die "unknown option $1; see --help" ;;
	esac
	[ $# -le 1 ] || die "one folder, please; see --help"
	dir=${1:-${DPLAY_WINE_ROOT:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/dplay4/wine}}
	dir=$(realpath -m -- "$dir")
	case $dir in
	/ | *[:,\\]* | *$'\n'*) die "the folder must not be / and its name must hold no colon, comma or backslash: $dir" ;;
	esac
	case $what in
	check)
		finished "$dir" || die "$dir is not set up; run compat/wine/setup.sh"
		say "$dir is finished: $(cat "$dir/$wineMark")"
		;;
	*) "$what" "$dir" ;;
	esac
}

main "$@"
