package io.viaduct.radius.message;

import io.viaduct.radius.dictionary.Dictionary;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;

/// Packets for tests.
public final class Packets {
  public static final Dictionary DICTIONARY = Dictionary.standard();
  public static final PacketReader READER = new PacketReader(DICTIONARY);

  /// The secret of the examples of RFC 2865 and RFC 5997.
  public static final SharedSecret SECRET = new SharedSecret("xyzzy5461");

  private Packets() {}

  /// Returns an Interim-Update of a session that has sent 5 GB.
  public static RadiusPacket interim() {
    return new RadiusPacket(
        RadiusPacket.ACCOUNTING_REQUEST,
        7,
        new AttributesBuilder(DICTIONARY)
            .add("Message-Authenticator", new byte[16])
            .add("Acct-Status-Type", "Interim-Update")
            .add("Acct-Session-Id", "0000000000000007")
            .add("Acct-Multi-Session-Id", "5f2c")
            .add("User-Name", "alice@ims.test")
            .add("NAS-Identifier", "viaduct-billing")
            .add("NAS-Port-Type", "Virtual")
            .add("Service-Type", "Framed")
            .add("Called-Station-Id", "snapt-1")
            .add("Event-Timestamp", Instant.parse("2026-11-27T10:00:00.7Z"))
            .add("Acct-Session-Time", 60)
            .octets("Input", 5_000_000_000L)
            .octets("Output", 1234)
            .add("Acct-Delay-Time", 2)
            .build());
  }

  /// Returns a request with the attributes that each record needs.
  public static RadiusPacket record(String status, String session) {
    return new RadiusPacket(
        RadiusPacket.ACCOUNTING_REQUEST,
        0,
        new AttributesBuilder(DICTIONARY)
            .add("Acct-Status-Type", status)
            .add("Acct-Session-Id", session)
            .add("User-Name", "alice@ims.test")
            .build());
  }

  /// Returns the packet of octets that the reader accepts.
  public static RadiusPacket read(byte[] octets) {
    if (READER.read(octets) instanceof Verdict.Accepted(RadiusPacket packet, _)) {
      return packet;
    }
    throw new AssertionError("refused: " + HexFormat.of().formatHex(octets));
  }

  /// Returns a request with these attributes.
  public static RadiusPacket request(List<Attribute> attributes) {
    return new RadiusPacket(RadiusPacket.ACCOUNTING_REQUEST, 1, attributes);
  }

  public static byte[] hex(String text) {
    return HexFormat.of().parseHex(text.replaceAll("\\s|#.*", ""));
  }
}
