package io.viaduct.service.tls;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.interfaces.EdECPublicKey;

/// Makes the file of `keygen FILE`, in the same way for every process.
public final class KeyFile {
  private KeyFile() {}

  /// Generates an Ed25519 key and writes it to a PEM file of mode 600.
  ///
  /// @return the raw public key
  /// @throws IOException if the file exists or cannot be created
  public static byte[] make(Path file) throws IOException {
    if (file.toAbsolutePath().getParent() instanceof Path folder && !Files.isDirectory(folder)) {
      throw new IOException(file + ": there is no directory " + folder + ": create it first");
    }
    KeyPair pair = Ed25519.generate();
    try {
      Ed25519.writePrivate(file, pair.getPrivate());
    } catch (FileAlreadyExistsException _) {
      throw new IOException(
          file + ": exists already and may be in use: choose another name or move it away");
    }
    return Ed25519.raw((EdECPublicKey) pair.getPublic());
  }
}
