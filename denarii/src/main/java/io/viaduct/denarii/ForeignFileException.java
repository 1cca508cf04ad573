package io.viaduct.denarii;

import java.io.IOException;

/// A local file is not of the kind that the command reads.
final class ForeignFileException extends IOException {
  private static final long serialVersionUID = 1L;

  ForeignFileException(String message) {
    super(message);
  }
}
