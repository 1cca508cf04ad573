package io.viaduct.diameter.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.diameter.RecordedSeed;
import io.viaduct.diameter.dictionary.AvpDefinition;
import io.viaduct.diameter.dictionary.AvpKey;
import io.viaduct.diameter.dictionary.CommandDefinition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Random messages of all commands and AVPs: what is written is read again, bit for bit.
class RoundTripProperties {
  private static final int ROUNDS = 20_000;
  private static final List<AvpDefinition> AVPS = Messages.DICTIONARY.avps();
  private static final List<CommandDefinition> COMMANDS =
      List.copyOf(Messages.DICTIONARY.commands());

  @Test
  void aWrittenMessageIsReadAgain() {
    long seed = RecordedSeed.take("RoundTripProperties");
    Random random = new Random(seed);
    for (int round = 0; round < ROUNDS; round++) {
      DiameterMessage message = message(random);
      byte[] octets = message.encode();
      assertThat(Messages.READER.read(octets))
          .as("seed %d, round %d", seed, round)
          .isEqualTo(new Verdict.Accepted(message));
      assertThat(octets.length % 4).isZero();
    }
  }

  private static DiameterMessage message(Random random) {
    CommandDefinition command = COMMANDS.get(random.nextInt(COMMANDS.size()));
    boolean request = random.nextBoolean();
    DiameterHeader header =
        new DiameterHeader(
            request,
            command.proxiable() && random.nextBoolean(),
            false,
            request && random.nextBoolean(),
            command.code(),
            Integer.toUnsignedLong(random.nextInt()),
            random.nextInt(),
            random.nextInt());
    List<Avp> avps = new ArrayList<>();
    for (AvpDefinition needed : request ? command.requestNeeds() : command.answerNeeds()) {
      avps.add(avp(random, needed, 1, false));
    }
    avps.addAll(avps(random, 1, false).avps());
    return new DiameterMessage(header, new AvpGroup(avps));
  }

  private static AvpGroup avps(Random random, int depth, boolean raw) {
    List<Avp> avps = new ArrayList<>();
    int count = random.nextInt(5);
    for (int i = 0; i < count; i++) {
      AvpDefinition definition =
          random.nextInt(8) == 0
              ? AvpDefinition.unknown(new AvpKey(90_000 + random.nextInt(9), random.nextInt(3)))
              : AVPS.get(random.nextInt(AVPS.size()));
      avps.add(avp(random, raw ? definition.asOctets() : definition, depth, raw));
    }
    return new AvpGroup(avps);
  }

  private static Avp avp(Random random, AvpDefinition definition, int depth, boolean raw) {
    return switch (definition.type()) {
      case GROUPED -> {
        boolean failed = raw || definition.name().equals("Failed-AVP");
        AvpGroup inner = depth < 5 ? avps(random, depth + 1, failed) : new AvpGroup(List.of());
        yield Avp.of(definition, new AvpValue.Group(inner));
      }
      case OCTET_STRING -> Avp.of(definition, new AvpValue.Octets(octets(random)));
      case INTEGER_32, ENUMERATED -> Avp.of(definition, new AvpValue.Whole(random.nextInt()));
      case UNSIGNED_32 ->
          Avp.of(definition, new AvpValue.Whole(Integer.toUnsignedLong(random.nextInt())));
      case INTEGER_64, UNSIGNED_64 -> Avp.of(definition, new AvpValue.Whole(random.nextLong()));
      case FLOAT_32 -> Avp.of(definition, new AvpValue.Real(random.nextFloat()));
      case FLOAT_64 -> Avp.of(definition, new AvpValue.Real(random.nextDouble()));
      case UTF8_STRING -> Avp.of(definition, new AvpValue.Text(text(random)));
      case DIAMETER_IDENTITY ->
          Avp.of(definition, new AvpValue.Text("h" + random.nextInt(99) + ".test"));
      case DIAMETER_URI ->
          Avp.of(definition, new AvpValue.Text("aaa://h:" + (1 + random.nextInt(65_535))));
      case TIME ->
          Avp.of(
              definition,
              new AvpValue.Moment(
                  Instant.ofEpochSecond(random.nextLong(-61_505_152L, 4_233_462_144L))));
      case ADDRESS -> Avp.of(definition, address(random));
    };
  }

  private static AvpValue address(Random random) {
    int family = 1 + random.nextInt(9);
    byte[] bytes = new byte[family == 1 ? 4 : family == 2 ? 16 : 1 + random.nextInt(9)];
    random.nextBytes(bytes);
    return new AvpValue.Address(family, bytes);
  }

  private static byte[] octets(Random random) {
    byte[] bytes = new byte[random.nextInt(20)];
    random.nextBytes(bytes);
    return bytes;
  }

  private static String text(Random random) {
    StringBuilder text = new StringBuilder();
    random
        .ints(random.nextInt(12), 1, 0x2_0000)
        .filter(point -> point < 0xD800 || point > 0xDFFF)
        .forEach(text::appendCodePoint);
    return text.toString();
  }
}
