package io.viaduct.radius.accounting;

import static io.viaduct.radius.message.Packets.DICTIONARY;
import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.radius.accounting.AccountingRecord.Kind;
import io.viaduct.radius.dictionary.AttributeDefinition;
import io.viaduct.radius.message.Attribute;
import io.viaduct.radius.message.AttributesBuilder;
import io.viaduct.radius.message.Packets;
import io.viaduct.radius.message.RadiusPacket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AccountingRecordTest {
  private static final Instant NOW = Instant.parse("2026-11-27T10:00:05Z");

  private static Optional<AccountingRecord> read(RadiusPacket packet) {
    return AccountingRecord.of(packet, DICTIONARY, NOW);
  }

  private static RadiusPacket with(RadiusPacket packet, String name, long number) {
    return packet.with(new AttributesBuilder(DICTIONARY).add(name, number).build().getFirst());
  }

  @Test
  void aRecordHasItsSessionAndItsCounts() {
    AccountingRecord record = read(Packets.interim()).orElseThrow();
    assertThat(record.kind()).isEqualTo(Kind.INTERIM_UPDATE);
    assertThat(record.session()).isEqualTo("0000000000000007");
    assertThat(record.user()).isEqualTo("alice@ims.test");
    assertThat(record.server()).isEqualTo("viaduct-billing");
    assertThat(record.octetsUp()).as("with gigawords").isEqualTo(5_000_000_000L);
    assertThat(record.octetsDown()).isEqualTo(1234);
    assertThat(record.lasted()).isEqualTo(Duration.ofMinutes(1));
  }

  @Test
  void theTimeIsThatOfTheEventUnlessTheClockIsNotSet() {
    Instant event = Instant.parse("2026-11-27T10:00:00Z");
    assertThat(read(Packets.interim()).orElseThrow().at()).isEqualTo(event);
    RadiusPacket unset = with(Packets.interim(), "Event-Timestamp", 86_400);
    assertThat(read(unset).orElseThrow().at()).as("less the delay").isEqualTo(NOW.minusSeconds(2));
    RadiusPacket ahead =
        with(Packets.interim(), "Event-Timestamp", NOW.plusSeconds(301).getEpochSecond());
    assertThat(read(ahead).orElseThrow().at()).isEqualTo(NOW.minusSeconds(2));
    assertThat(read(Packets.record("Start", "a")).orElseThrow().at()).isEqualTo(NOW);
    RadiusPacket late = with(Packets.record("Start", "a"), "Acct-Delay-Time", 0xFFFF_FFFFL);
    assertThat(read(late).orElseThrow().at()).isEqualTo(NOW.minus(Duration.ofDays(31)));
  }

  @Test
  void aRecordThatCannotBeCountedIsRefused() {
    assertThat(read(Packets.record("Start", ""))).isEmpty();
    assertThat(read(with(Packets.record("Stop", "a"), "Acct-Input-Gigawords", 0x8000_0000L)))
        .isEmpty();
    assertThat(read(Packets.request(new AttributesBuilder(DICTIONARY).build()))).isEmpty();
  }

  @Test
  void theStartOfAnAccessServerNeedsNoUser() {
    RadiusPacket on =
        Packets.request(
            new AttributesBuilder(DICTIONARY)
                .add("Acct-Status-Type", "Accounting-On")
                .add("NAS-IP-Address", new byte[] {(byte) 192, 0, 2, 1})
                .build());
    AccountingRecord record = read(on).orElseThrow();
    assertThat(record.kind()).isEqualTo(Kind.ACCOUNTING_ON);
    assertThat(record.server()).isEqualTo("192.0.2.1");
    assertThat(read(with(on, "Acct-Status-Type", 9)).orElseThrow().kind()).isEqualTo(Kind.OTHER);
  }

  @Test
  void aNameWithAnyOctetsIsNoDanger() {
    byte[] name = "al\u0000ice\u00e9".getBytes(StandardCharsets.ISO_8859_1);
    AttributeDefinition user = DICTIONARY.attribute("User-Name");
    RadiusPacket packet = Packets.record("Start", "a").with(new Attribute(user, name));
    assertThat(read(packet).orElseThrow().user()).isEqualTo("al\uFFFDice\uFFFD");
  }
}
