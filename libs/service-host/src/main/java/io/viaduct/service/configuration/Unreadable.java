package io.viaduct.service.configuration;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/// Explains to an operator why a file cannot be read; the JDK gives only the class of an exception.
public final class Unreadable {
  private Unreadable() {}

  /// Returns a clause to follow the name of the file, such as `does not exist: …`.
  public static String why(Path file, IOException failure) {
    if (failure instanceof NoSuchFileException) {
      return "does not exist: correct the path or create the file";
    } else if (failure instanceof AccessDeniedException) {
      return "may not be read by user '%s': change its owner or mode"
          .formatted(System.getProperty("user.name"));
    } else if (Files.isDirectory(file)) {
      return "is a directory, must be a file";
    } else if (failure instanceof CharacterCodingException) {
      return "is not text in UTF-8";
    }
    return "cannot be read: " + failure.getMessage();
  }
}
