package io.viaduct.radius.message;

import static io.viaduct.radius.message.Packets.READER;
import static io.viaduct.radius.message.Packets.SECRET;
import static io.viaduct.radius.message.Packets.hex;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RefusalTest {
  private static final byte[] INTERIM = hex(GoldenPacketTest.INTERIM);

  @ParameterizedTest(name = "{1}")
  @CsvSource({
    "TOO_SHORT, 04 07 0014 00",
    "TOO_SHORT, 04 07 0015 00000000000000000000000000000000",
    "BAD_LENGTH, 04 07 0013 00000000000000000000000000000000",
    "TOO_LONG, 04 07 1001 00000000000000000000000000000000",
    "BAD_ATTRIBUTE, 04 07 0015 00000000000000000000000000000000 01",
    "BAD_ATTRIBUTE, 04 07 0016 00000000000000000000000000000000 0101",
    "BAD_ATTRIBUTE, 04 07 0016 00000000000000000000000000000000 0103",
    "BAD_ATTRIBUTE, 04 07 0017 00000000000000000000000000000000 280300",
    "BAD_ATTRIBUTE, 04 07 0018 00000000000000000000000000000000 1a040000"
  })
  void octetsThatAreNoPacketAreRefused(Refusal reason, String octets) {
    assertThat(READER.read(hex(octets))).isEqualTo(new Verdict.Refused(reason));
  }

  @Test
  void octetsAfterThePacketAreIgnored() {
    byte[] padded = Arrays.copyOf(INTERIM, INTERIM.length + 9);
    assertThat(READER.read(padded))
        .isInstanceOfSatisfying(
            Verdict.Accepted.class, read -> assertThat(read.octets()).isEqualTo(INTERIM));
    assertThat(READER.read(new byte[RadiusPacket.MOST + 1]))
        .isEqualTo(new Verdict.Refused(Refusal.BAD_LENGTH));
    assertThat(READER.read(Arrays.copyOf(INTERIM, RadiusPacket.MOST + 1)))
        .isEqualTo(new Verdict.Refused(Refusal.TOO_LONG));
  }

  @Test
  void anUnknownAttributeAndAnEmptyTextAreKept() {
    RadiusPacket packet =
        Packets.read(hex("04 07 001a 00000000000000000000000000000000 0102 f004 abcd"));
    assertThat(packet.text("User-Name")).isEmpty();
    assertThat(packet.attributes().getLast().data()).isEqualTo(hex("abcd"));
    assertThat(packet.encode()).endsWith(hex("0102 f004 abcd"));
  }

  @Test
  void aRequestOfAnotherSecretIsRefused() {
    assertThat(new SharedSecret("other").flawOfRequest(INTERIM))
        .hasValue(Refusal.BAD_AUTHENTICATOR);
  }

  @Test
  void eachChangedOctetOfARequestIsNoticed() {
    for (int i = 0; i < INTERIM.length; i++) {
      byte[] changed = INTERIM.clone();
      changed[i] ^= 1;
      if (READER.read(changed) instanceof Verdict.Accepted(RadiusPacket packet, byte[] octets)
          && packet.code() == RadiusPacket.ACCOUNTING_REQUEST) {
        assertThat(SECRET.flawOfRequest(octets)).as("octet %d", i).isPresent();
      }
    }
  }

  @Test
  void aMessageAuthenticatorThatIsWrongOrShortOrRepeatedIsRefused() {
    AttributesBuilder wrong =
        new AttributesBuilder(Packets.DICTIONARY).add("Message-Authenticator", new byte[16]);
    assertThat(flawWithoutMac(wrong)).hasValue(Refusal.BAD_MESSAGE_AUTHENTICATOR);
    AttributesBuilder cut =
        new AttributesBuilder(Packets.DICTIONARY).add("Message-Authenticator", new byte[3]);
    assertThat(flawWithoutMac(cut)).hasValue(Refusal.BAD_MESSAGE_AUTHENTICATOR);
    wrong.add("Message-Authenticator", new byte[16]);
    assertThat(SECRET.flawOfRequest(SECRET.signRequest(Packets.request(wrong.build()))))
        .hasValue(Refusal.BAD_MESSAGE_AUTHENTICATOR);
  }

  /// Signs a packet with the Request Authenticator only, as somebody without knowledge of
  /// Message-Authenticator does.
  private static Optional<Refusal> flawWithoutMac(AttributesBuilder attributes) {
    byte[] octets = Packets.request(attributes.build()).encode();
    System.arraycopy(Md5.of(octets, "xyzzy5461"), 0, octets, RadiusPacket.AUTHENTICATOR_AT, 16);
    return SECRET.flawOfRequest(octets);
  }

  @Test
  void theMessageAuthenticatorOfAResponseMayBeMadeWithZerosAsFreeRadiusDoes() {
    RadiusPacket response =
        new RadiusPacket(
            RadiusPacket.ACCOUNTING_RESPONSE,
            7,
            new AttributesBuilder(Packets.DICTIONARY)
                .add("Message-Authenticator", new byte[16])
                .build());
    byte[] octets = SECRET.signRequest(response); // the HMAC is that over zeros
    System.arraycopy(INTERIM, 4, octets, 4, 16);
    System.arraycopy(Md5.of(octets, "xyzzy5461"), 0, octets, 4, 16);
    assertThat(SECRET.flawOfResponse(octets, INTERIM)).isEmpty();
  }
}
