package io.viaduct.sip;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// The immutable bytes of a message's body. The message's Content-Type says of what type they are.
public final class SipBody {
  public static final SipBody EMPTY = new SipBody(new byte[0]);

  private final byte[] bytes;

  private SipBody(byte[] bytes) {
    this.bytes = bytes;
  }

  public static SipBody of(byte[] bytes) {
    return bytes.length == 0 ? EMPTY : new SipBody(bytes.clone());
  }

  public static SipBody of(String text) {
    return of(text.getBytes(StandardCharsets.UTF_8));
  }

  public int length() {
    return bytes.length;
  }

  public byte[] bytes() {
    return bytes.clone();
  }

  /// Returns the bytes, read as UTF-8.
  public String text() {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SipBody body && Arrays.equals(bytes, body.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return bytes.length + " bytes";
  }
}
