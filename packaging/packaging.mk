# Installing heddle and making a package of it. Part of the Makefile.
PREFIX  ?= /usr/local
DESTDIR ?=

.PHONY: install uninstall deb
install: all
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" packaging/install.sh $(BUILD)

# Removes what `make install` has recorded, and nothing else.
uninstall:
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" packaging/uninstall.sh

deb:
	@CC="$(CC)" scripts/deps.sh deb --install
	+@$(SUBMAKE) -s all
	@packaging/deb.sh $(BUILD)
