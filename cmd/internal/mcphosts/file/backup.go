package file

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// most is how many backups of a file are kept.
const most = 10

// backup keeps a text of a file, for people: nothing here reads what is kept. The text may hold secrets, so no other
// user can read it.
func backup(path string, text []byte) (string, error) {
	folder, err := backups()
	if err != nil {
		return "", err
	}
	defer folder.close()
	sum := sha256.Sum256([]byte(path))
	prefix := filepath.Base(path) + "." + hex.EncodeToString(sum[:4]) + "."
	name := prefix + time.Now().UTC().Format("20060102T150405.000000000Z") + "." + rand.Text()[:4]
	f, err := folder.create(name)
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, folder.remove(name))
	}
	return filepath.Join(folder.path, name), prune(folder, prefix)
}

// prune removes the oldest backups of a file: their names are in the order of time.
func prune(folder *folder, prefix string) error {
	names, err := folder.names()
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, prefix) })
	slices.Sort(names)
	for len(names) > most && err == nil {
		err = folder.remove(names[0])
		names = names[1:]
	}
	return err
}

// forget removes the backup of a text that was not replaced.
func forget(backup string) error { return os.Remove(backup) }
