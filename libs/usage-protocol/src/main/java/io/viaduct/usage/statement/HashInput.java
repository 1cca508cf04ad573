package io.viaduct.usage.statement;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/// Collects fields for a SHA-256 hash (FIPS 180-4), so that different fields never give the same
/// octets: a text or octet string follows its length, a number has eight octets, both in network
/// order. The label comes first, and a zero octet; it separates kinds of hashes.
final class HashInput {
  private final MessageDigest digest;

  HashInput(String label) {
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
    digest.update((label + '\0').getBytes(StandardCharsets.US_ASCII));
  }

  HashInput number(long value) {
    digest.update(ByteBuffer.allocate(Long.BYTES).putLong(value).flip());
    return this;
  }

  HashInput text(String value) {
    return octets(value.getBytes(StandardCharsets.UTF_8));
  }

  HashInput hash(ByteString value) {
    return octets(value.toByteArray());
  }

  private HashInput octets(byte[] value) {
    digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(value.length).flip());
    digest.update(value);
    return this;
  }

  ByteString result() {
    return ByteString.copyFrom(digest.digest());
  }
}
