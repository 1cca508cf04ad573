package io.viaduct.billing.receipts;

import com.google.protobuf.ByteString;
import io.viaduct.usage.SignedMessage;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/// Writes the lines of a statement, and signs what was written at the end.
public final class DigestedLines {
  private final OutputStream out;
  private final MessageDigest digest;

  public DigestedLines(OutputStream out) {
    this.out = out;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /// Writes a line.
  public void write(String line) throws IOException {
    byte[] octets = (line + "\n").getBytes(StandardCharsets.UTF_8);
    digest.update(octets);
    out.write(octets);
  }

  /// Writes the last line.
  public void end(long receipts, StatementKey key) throws IOException {
    ByteString all = ByteString.copyFrom(digest.digest());
    write(StatementLines.end(receipts, all, key.sign(SignedMessage.STATEMENT_FILE, all)));
  }
}
