package io.viaduct.radius.message;

import io.viaduct.radius.dictionary.AttributeDefinition;
import io.viaduct.radius.dictionary.Dictionary;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Reads the octets of one datagram. Octets after the packet's length are padding, and are ignored
/// (RFC 2865 section 3). An unknown attribute is kept as octets.
public final class PacketReader {
  private final Dictionary dictionary;

  public PacketReader(Dictionary dictionary) {
    this.dictionary = dictionary;
  }

  /// Reads a packet.
  public Verdict read(byte[] datagram) {
    if (datagram.length < RadiusPacket.HEADER) {
      return new Verdict.Refused(Refusal.TOO_SHORT);
    }
    int length = Short.toUnsignedInt(ByteBuffer.wrap(datagram).getShort(2));
    if (length < RadiusPacket.HEADER) {
      return new Verdict.Refused(Refusal.BAD_LENGTH);
    }
    if (length > RadiusPacket.MOST || datagram.length > RadiusPacket.MOST) {
      return new Verdict.Refused(Refusal.TOO_LONG);
    }
    if (length > datagram.length) {
      return new Verdict.Refused(Refusal.TOO_SHORT);
    }
    byte[] octets = Arrays.copyOf(datagram, length);
    List<Attribute> attributes = new ArrayList<>();
    return readAttributes(ByteBuffer.wrap(octets).position(RadiusPacket.HEADER), attributes)
        ? new Verdict.Accepted(
            new RadiusPacket(
                Byte.toUnsignedInt(octets[0]), Byte.toUnsignedInt(octets[1]), attributes),
            octets)
        : new Verdict.Refused(Refusal.BAD_ATTRIBUTE);
  }

  private boolean readAttributes(ByteBuffer octets, List<Attribute> attributes) {
    while (octets.hasRemaining()) {
      if (octets.remaining() < 2) {
        return false;
      }
      AttributeDefinition definition = dictionary.attribute(Byte.toUnsignedInt(octets.get()));
      int length = Byte.toUnsignedInt(octets.get()) - 2;
      if (length < 0 || length > octets.remaining() || !definition.type().fits(length)) {
        return false;
      }
      byte[] data = new byte[length];
      octets.get(data);
      attributes.add(new Attribute(definition, data));
    }
    return true;
  }
}
