#!/bin/sh
# Makes a Debian package of what `make` has built, from the root of the sources: deb.sh BUILD; it is
# BUILD/heddle_VERSION_ARCH.deb. Programs and libraries are stripped; the packages they need are what dpkg-shlibdeps
# finds. No debhelper is used.
set -eu
build=${1:?usage: deb.sh BUILD}
case $build in /*) ;; *) build=$PWD/$build ;; esac
version=$(cat VERSION)
architecture=$(dpkg --print-architecture)
maintainer="The heddle maintainers <maintainers@heddle.example>"
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
mkdir -p "$root/DEBIAN" "$work/debian"
chmod 755 "$root"

PREFIX=/usr DESTDIR=$root RECORD=no packaging/install.sh "$build" >/dev/null
programs=$(find "$root/usr/bin" "$root/usr/lib" -type f ! -name '*.pc' ! -name '*.a')
# shellcheck disable=SC2086 -- no path has a space
strip --strip-unneeded --remove-section=.comment --remove-section=.note $programs
strip --strip-debug --enable-deterministic-archives "$root/usr/lib/heddle/libcudart_static.a"
mkdir -p "$root/usr/share/zsh/vendor-completions"
mv "$root/usr/share/zsh/site-functions/_heddle" "$root/usr/share/zsh/vendor-completions"
rmdir "$root/usr/share/zsh/site-functions"

# Debian's names for licence and changes.
documents=$root/usr/share/doc/heddle
{
    printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: heddle\n\n'
    printf 'Files: *\nCopyright: %s\nLicense: Expat\n' "$(sed -n 's/^Copyright (c) //p' LICENSE)"
    sed -n '/^Permission/,$p' LICENSE | sed 's/^$/./; s/^/ /'
} >"$documents/copyright"
rm "$documents/LICENSE"
{
    printf 'heddle (%s) unstable; urgency=low\n\n  * CHANGELOG.md says what is new.\n\n' "$version"
    printf ' -- %s  %s\n' "$maintainer" "$(LC_ALL=C date -u -R -r VERSION)"
} | gzip -9n >"$documents/changelog.gz"

printf 'Source: heddle\n\nPackage: heddle\nArchitecture: any\n' >"$work/debian/control"
# The workloads' libcuda.so.1 is in the package itself. Only who sweeps over MPI needs MPI, and has it.
needing=$(echo "$programs" | grep -v '/farm-mpi\.so$')
# shellcheck disable=SC2086
depends=$(cd "$work" && dpkg-shlibdeps -O --ignore-missing-info -l"$root/usr/lib/heddle" $needing 2>"$work/warnings" |
    sed -n 's/^shlibs:Depends=//p')
[ -n "$depends" ] || { cat "$work/warnings"; exit 1; }

cat >"$root/DEBIAN/control" <<CONTROL
Package: heddle
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f1)
Depends: $depends
Section: science
Priority: optional
Description: laboratory for SIMT control flow
 heddle runs GPU kernels, given as PTX, on a machine without a GPU. On a
 described GPU it counts cycles under some twenty-five divergence mechanisms of
 the literature, such as reconvergence stacks, dynamic warp formation, thread
 block compaction and variable warp sizing, and says where the cycles went.
 .
 The package has the command heddle, its workloads, a libcuda.so.1 and a
 libcudart.so that run programs on the CUDA driver and runtime APIs, and
 libheddle for programs of one's own.
CONTROL
echo "libheddle 0 heddle (>= $version)" >"$root/DEBIAN/shlibs"
echo "activate-noawait ldconfig" >"$root/DEBIAN/triggers"
(cd "$root" && find usr -type f | LC_ALL=C sort | xargs md5sum) >"$root/DEBIAN/md5sums"
chmod 644 "$root"/DEBIAN/*
package=$build/heddle_${version}_$architecture.deb
dpkg-deb --root-owner-group --build "$root" "$package" >/dev/null
echo "${package#"$PWD"/}: needs $depends"
