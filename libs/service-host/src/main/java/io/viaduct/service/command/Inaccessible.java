package io.viaduct.service.command;

import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/// Explains why a file or directory could not be used; the JDK's message is often only the path.
final class Inaccessible {
  private Inaccessible() {}

  static String why(FileSystemException failure) {
    return failure.getFile() + " " + clause(failure);
  }

  private static String clause(FileSystemException failure) {
    return switch (failure) {
      case AccessDeniedException _ ->
          "may not be opened, made or changed by user '%s': change its owner or mode, or name another path"
              .formatted(System.getProperty("user.name"));
      case NoSuchFileException _ -> "does not exist: correct the path or create it";
      case FileAlreadyExistsException _ ->
          "exists and is no directory: remove it or name another path";
      default ->
          "cannot be used: "
              + (failure.getReason() == null
                  ? failure.getClass().getSimpleName()
                  : failure.getReason());
    };
  }
}
