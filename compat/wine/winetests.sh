#!/usr/bin/env bash
# Fetches Wine 10's own tests of dplayx (LGPL, from Debian's source package) and builds them as a program, beside the folder
# that setup.sh made and never in this tree.
#
#   winetests.sh [DIR]            fetch and build, or finish what was interrupted; nothing to do when it is finished
#   winetests.sh --check [DIR]    say whether it is finished (exit status 0) or not (1)
#   winetests.sh --remove [DIR]   remove what winetests.sh made
#
# DIR is the folder of setup.sh: $DPLAY_WINE_ROOT if it is not given, else $XDG_CACHE_HOME/dplay4/wine. What is made is in
# DIR-tests: dplayx.c and its headers, functions.txt, winetests-386.exe and winetests-amd64.exe. It takes half a minute, root
# (for the apt-get of DIR, in namespaces that end with this script) and a download of 33 MB. DPLAY_DEBIAN_MIRROR and
# DPLAY_DEBIAN_SUITE name another mirror and suite than those that DIR was made from.
set -euo pipefail

say() { echo "winetests: $*"; }
die() {
	echo "winetests: $*" >&2
	exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

here=$(cd "$(dirname "$0")" && pwd)
program=$here/dll/winetests.c

# The marks. sourceMark holds the version of Debian's package, builtMark what the programs were built from.
sourceMark=.dplay-source
builtMark=.dplay-built

builtFrom() { cat "$here/$(basename "$0")" "$program" "$1/$sourceMark" | sha256sum; }
finished() { [ -s "$1/$sourceMark" ] && [ "$(cat "$1/$builtMark" 2>/dev/null)" = "$(builtFrom "$1")" ]; }

# tools installs what this script runs.
tools() {
	local missing=()
	has i686-w64-mingw32-gcc || missing+=(gcc-mingw-w64-i686)
	has x86_64-w64-mingw32-gcc || missing+=(gcc-mingw-w64-x86-64)
	has xz || missing+=(xz-utils)
	has unshare || missing+=(util-linux)
	[ ${#missing[@]} -gt 0 ] || return 0
	has apt-get || die "please install what Debian calls ${missing[*]}"
	need_root "installing ${missing[*]}"
	say "installing ${missing[*]}"
	apt-get update -q >/dev/null
	DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}" >/dev/null
}

need_root() { [ "$(id -u)" -eq 0 ] || die "$1 needs root"; }

# ---- inside a mount namespace: $0 --inside ROOT DIR ----

# inside has the apt-get of ROOT download the source of the Wine that is in ROOT, to DIR. Nothing below ROOT is written: machines
# of tests may be using it.
inside() {
	local root=$1 dir=$2 mirror suite version
	mount --make-rprivate /
	mount -t tmpfs tmpfs "$root/mnt"
	mount -t tmpfs tmpfs "$root/tmp"
	mkdir -p "$root/mnt/lists/partial" "$root/mnt/source"
	mount --bind "$dir" "$root/mnt/source"
	mount --rbind /dev "$root/dev"
	mount -t proc proc "$root/proc"
	mount --bind /etc/resolv.conf "$root/etc/resolv.conf"
	read -r mirror suite < <(awk '$1 == "deb" {print $2, $3; exit}' "$root/etc/apt/sources.list") || true
	mirror=${DPLAY_DEBIAN_MIRROR:-$mirror}
	suite=${DPLAY_DEBIAN_SUITE:-${suite:-trixie}}
	[ -n "$mirror" ] || die "$root/etc/apt/sources.list names no mirror: set DPLAY_DEBIAN_MIRROR"
	echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$root/mnt/sources.list"
	version=$(in_root dpkg-query -W -f '${source:Version}' wine)
	in_root apt-get "${apt[@]}" update -q
	in_root sh -c 'cd /mnt/source && exec apt-get "$@"' apt-get "${apt[@]}" source --download-only -q "wine=$version"
	echo "$version" >"$dir/version"
}

apt=(-o Dir::Etc::sourcelist=/mnt/sources.list -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists=/mnt/lists
	-o Dir::Cache=/mnt -o APT::Sandbox::User=root)

in_root() {
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
		http_proxy="${http_proxy:-}" chroot "$root" "$@"
}

# ---- outside ----

# fetch leaves dplayx.c and the headers that it includes, and of the rest of Wine nothing.
fetch() {
	local root=$1 dir=$2 part=$2.part
	[ ! -s "$dir/$sourceMark" ] || return 0
	need_root "fetching the source"
	say "fetching Wine's source from Debian"
	rm -rf --one-file-system "$part"
	mkdir -p "$part/package"
	unshare --mount --pid --fork --kill-child=SIGKILL -- bash "$0" --inside "$root" "$part/package" >"$dir.log" 2>&1 || {
		tail -n 20 "$dir.log" >&2
		die "the source could not be fetched; DPLAY_DEBIAN_MIRROR names another mirror"
	}
	tar -xf "$part"/package/wine_*.orig.tar.* -C "$part" --strip-components=1 --wildcards \
		'*/dlls/dplayx/tests/dplayx.c' '*/include/wine/test.h' '*/include/wine/debug.h' ||
		die "Debian's source package has no tests of dplayx"
	mv "$part/dlls/dplayx/tests/dplayx.c" "$part/include/wine" "$part"
	functions "$part/dplayx.c" >"$part/functions.txt"
	mv "$part/package/version" "$part/$sourceMark"
	rm -rf "$part/dlls" "$part/include" "$part/package" "$dir"
	mv "$part" "$dir"
}

# functions prints what the file's list runs: "quiet NAME", or "interactive NAME" for those that it runs only if asked to.
functions() {
	awk '/^START_TEST\(dplayx\)/ { list = 1; kind = "quiet" }
		list && /winetest_interactive\)$/ { kind = "interactive" }
		list && /^ *test_[A-Za-z0-9_]+\(\);/ { sub(/\(.*/, "", $1); print kind, $1 }' "$1"
}

# build compiles the program for both kinds of games. mingw has no import library of dplayx for 64 bits.
build() {
	local dir=$1 arch compiler
	rm -f "$dir/$builtMark"
	sed 's/.* \(.*\)/FUNCTION(\1)/' "$dir/functions.txt" >"$dir/functions.h"
	{
		echo '#line 1 "dplayx.c"'
		sed -E '/^START_TEST\(dplayx\)/,$s/^( *)(test_[A-Za-z0-9_]+)\(\);/\1if (chosen("\2")) \2();/' "$dir/dplayx.c"
	} >"$dir/chosen.c"
	printf 'LIBRARY dplayx.dll\nEXPORTS\nDirectPlayLobbyCreateA\nDirectPlayLobbyCreateW\n' >"$dir/dplayx.def"
	for arch in 386 amd64; do
		compiler=i686-w64-mingw32
		[ "$arch" = 386 ] || compiler=x86_64-w64-mingw32
		mkdir -p "$dir/$arch"
		[ "$arch" = 386 ] || "$compiler-dlltool" -d "$dir/dplayx.def" -l "$dir/$arch/libdplayx.a"
		say "building for $arch"
		"$compiler-gcc" -std=gnu11 -O1 -w -s -I"$dir" -o "$dir/winetests-$arch.exe" "$program" -L"$dir/$arch" \
			-ldplayx -ldxguid -lole32 -loleaut32 -luuid -lws2_32 -lversion
	done
	builtFrom "$dir" >"$dir/$builtMark"
}

remove() {
	local dir=$1-tests
	[ ! -d "$dir" ] || [ -e "$dir/$sourceMark" ] || die "$dir was not made by winetests.sh"
	rm -rf --one-file-system "$dir" "$dir.part" "$dir.log" "$dir.lock"
	say "removed $dir"
}

setup() {
	local root=$1 dir=$1-tests
	if finished "$dir"; then
		say "$dir is finished: Wine $(cat "$dir/$sourceMark")"
		return
	fi
	bash "$here/setup.sh" --check "$root" >/dev/null || exit 1 # it said why
	tools
	exec 9>"$dir.lock"
	flock -n 9 || { say "another one is at work on $dir: waiting for it" && flock 9; }
	if ! finished "$dir"; then
		fetch "$root" "$dir"
		build "$dir"
	fi
	rm -f "$dir.log"
	say "$dir is finished after $SECONDS s: Wine $(cat "$dir/$sourceMark"), $(wc -l <"$dir/functions.txt") functions"
}

main() {
	local what=setup dir
	case ${1:-} in
	--inside)
		inside "$2" "$3"
		return
		;;
	--check | --remove)
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
	case $what in
	check)
		finished "$dir-tests" || die "$dir-tests is not finished; run compat/wine/winetests.sh"
		say "$dir-tests is finished: Wine $(cat "$dir-tests/$sourceMark")"
		;;
	*) "$what" "$dir" ;;
	esac
}

main "$@"
