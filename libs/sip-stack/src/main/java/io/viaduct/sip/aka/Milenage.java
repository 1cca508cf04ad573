package io.viaduct.sip.aka;

import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;

/// The functions f1 to f5* of one subscriber key (3GPP TS 35.206), with AES-128 of the JDK. All
/// inputs and outputs are octets, most significant first.
final class Milenage {
  static final int BLOCK = 16;
  static final int MAC = 8;
  static final int SEQUENCE = 6;

  private final SecretKeySpec key;
  private final byte[] opc;

  Milenage(byte[] k, byte[] opc) {
    this.key = new SecretKeySpec(k, "AES");
    this.opc = opc;
  }

  /// Derives OPc from the operator's OP: the encrypted OP, xor OP.
  static byte[] opc(byte[] k, byte[] op) {
    return xor(new Milenage(k, op).encrypt(op), op);
  }

  /// Returns MAC-A: the network's proof to the card.
  byte[] f1(byte[] rand, byte[] sequence, byte[] amf) {
    return Arrays.copyOf(out1(rand, sequence, amf), MAC);
  }

  /// Returns MAC-S: the card's proof of its sequence number.
  byte[] f1Star(byte[] rand, byte[] sequence, byte[] amf) {
    return Arrays.copyOfRange(out1(rand, sequence, amf), MAC, BLOCK);
  }

  /// Returns RES: the card's answer to RAND.
  byte[] f2(byte[] rand) {
    return Arrays.copyOfRange(out(rand, 0, 1), MAC, BLOCK);
  }

  /// Returns the cipher key CK.
  byte[] f3(byte[] rand) {
    return out(rand, 4, 2);
  }

  /// Returns the integrity key IK.
  byte[] f4(byte[] rand) {
    return out(rand, 8, 4);
  }

  /// Returns the anonymity key AK, which hides the sequence number of a challenge.
  byte[] f5(byte[] rand) {
    return Arrays.copyOf(out(rand, 0, 1), SEQUENCE);
  }

  /// Returns the anonymity key of a resynchronisation.
  byte[] f5Star(byte[] rand) {
    return Arrays.copyOf(out(rand, 12, 8), SEQUENCE);
  }

  private byte[] out1(byte[] rand, byte[] sequence, byte[] amf) {
    byte[] in = new byte[BLOCK];
    for (int half = 0; half < BLOCK; half += MAC) {
      System.arraycopy(sequence, 0, in, half, SEQUENCE);
      System.arraycopy(amf, 0, in, half + SEQUENCE, MAC - SEQUENCE);
    }
    return xor(encrypt(xor(temp(rand), rotated(xor(in, opc), MAC))), opc);
  }

  /// Returns OUT2 to OUT5: they differ in the rotation and in the constant of the last octet.
  private byte[] out(byte[] rand, int rotation, int constant) {
    byte[] in = rotated(xor(temp(rand), opc), rotation);
    in[BLOCK - 1] ^= (byte) constant;
    return xor(encrypt(in), opc);
  }

  private byte[] temp(byte[] rand) {
    return encrypt(xor(rand, opc));
  }

  private static byte[] rotated(byte[] block, int octets) {
    byte[] turned = new byte[BLOCK];
    for (int i = 0; i < BLOCK; i++) {
      turned[i] = block[(i + octets) % BLOCK];
    }
    return turned;
  }

  static byte[] xor(byte[] a, byte[] b) {
    byte[] both = a.clone();
    for (int i = 0; i < both.length; i++) {
      both[i] ^= b[i];
    }
    return both;
  }

  // Milenage is defined on single blocks, so there is no mode and no padding.
  @SuppressWarnings("InsecureCryptoUsage")
  private byte[] encrypt(byte[] block) {
    try {
      Cipher cipher = Cipher.getInstance("AES/ECB/NoPadding");
      cipher.init(Cipher.ENCRYPT_MODE, key);
      return cipher.doFinal(block);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has AES", e);
    }
  }
}
