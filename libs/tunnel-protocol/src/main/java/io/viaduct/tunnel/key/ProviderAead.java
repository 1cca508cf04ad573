package io.viaduct.tunnel.key;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.wire.DatagramHeader;
import java.security.GeneralSecurityException;
import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;

/// Seals and opens with the JDK's ciphers. They are fastest over heap arrays, so each datagram is
/// copied once in each direction. Each `init` allocates about 900 bytes inside the JDK.
public final class ProviderAead implements Aead {
  private static final int DATAGRAM_MAX = 65_535;
  private final AeadAlgorithm algorithm;
  private final Cipher sealing;
  private final Cipher opening;
  private final Nonce openingNonce = new Nonce();

  // Two nonces take turns: the cipher compares a new nonce with the last one, and keeps no copy.
  private Nonce sealingNonce = new Nonce();
  private Nonce lastSealingNonce = new Nonce();

  private final byte[] header = new byte[DatagramHeader.LENGTH];
  private final byte[] sealed = new byte[DATAGRAM_MAX + AeadAlgorithm.TAG_BYTES];

  public ProviderAead(AeadAlgorithm algorithm) {
    this.algorithm = algorithm;
    try {
      sealing = Cipher.getInstance(algorithm.transformation());
      opening = Cipher.getInstance(algorithm.transformation());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java 25 has " + algorithm.transformation(), e);
    }
  }

  @Override
  public void seal(
      EpochKey key,
      long sequence,
      byte[] body,
      int bodyAt,
      int bodyBytes,
      ByteBuf datagram,
      int at) {
    datagram.getBytes(at, header);
    sealLong(key, sequence, header, body, bodyAt, bodyBytes, sealed);
    datagram.setBytes(at + header.length, sealed, 0, bodyBytes + AeadAlgorithm.TAG_BYTES);
  }

  @Override
  public void sealLong(
      EpochKey key,
      long sequence,
      byte[] covered,
      byte[] body,
      int bodyAt,
      int bodyBytes,
      byte[] to) {
    try {
      Nonce last = sealingNonce;
      sealingNonce = lastSealingNonce;
      lastSealingNonce = last;
      sealing.init(Cipher.ENCRYPT_MODE, key, parameters(sealingNonce, key, sequence));
      sealing.updateAAD(covered);
      sealing.doFinal(body, bodyAt, bodyBytes, to, 0);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("sealing failed; the session must end", e);
    }
  }

  @Override
  public int open(
      EpochKey key, long sequence, ByteBuf datagram, int at, int length, byte[] body, int bodyAt) {
    int bytes = length - header.length;
    datagram.getBytes(at, header);
    datagram.getBytes(at + header.length, sealed, 0, bytes);
    return open(key, sequence, header, sealed, bytes, body, bodyAt);
  }

  @Override
  public int openLong(
      EpochKey key, long sequence, byte[] covered, byte[] from, int bytes, byte[] body) {
    return open(key, sequence, covered, from, bytes, body, 0);
  }

  private int open(
      EpochKey key,
      long sequence,
      byte[] covered,
      byte[] from,
      int bytes,
      byte[] body,
      int bodyAt) {
    try {
      opening.init(Cipher.DECRYPT_MODE, key, parameters(openingNonce, key, sequence));
      opening.updateAAD(covered);
      return opening.doFinal(from, 0, bytes, body, bodyAt);
    } catch (AEADBadTagException e) {
      return BAD_TAG;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("opening failed; the session must end", e);
    }
  }

  private AlgorithmParameterSpec parameters(Nonce nonce, EpochKey key, long sequence) {
    key.nonce(sequence, nonce.bytes);
    return switch (algorithm) {
      case AES_256_GCM -> nonce;
      case CHACHA20_POLY1305 -> new IvParameterSpec(nonce.bytes);
    };
  }

  /// Parameters whose getter returns the nonce array itself: the JDK's class would copy it at each
  /// use.
  private static final class Nonce extends GCMParameterSpec {
    private final byte[] bytes = new byte[AeadAlgorithm.NONCE_BYTES];

    Nonce() {
      super(AeadAlgorithm.TAG_BYTES * 8, new byte[AeadAlgorithm.NONCE_BYTES]);
    }

    @Override
    public byte[] getIV() {
      return bytes;
    }
  }
}
