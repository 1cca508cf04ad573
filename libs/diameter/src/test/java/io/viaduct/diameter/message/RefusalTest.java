package io.viaduct.diameter.message;

import static io.viaduct.diameter.message.Messages.hex;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RefusalTest {
  private static final String HOST = "00000108 40 000012 612e696d732e74657374 0000";
  private static final String REALM = "00000128 40 000010 696d732e74657374";
  private static final CodecLimits LIMITS = new CodecLimits(400, 3, 9);
  private static final MessageReader READER = new MessageReader(Messages.DICTIONARY, LIMITS);

  private static String request(String avps) {
    return message("80 000118", HOST + REALM + avps);
  }

  private static String message(String command, String avps) {
    int bytes = 20 + hex(avps).length;
    return "01 %06x %s 00000000 00000001 00000002 %s".formatted(bytes, command, avps);
  }

  static Stream<Arguments> malformed() {
    return Stream.of(
        refused("", Refusal.INVALID_MESSAGE_LENGTH, ""),
        refused("02" + request("").substring(2), Refusal.UNSUPPORTED_VERSION, ""),
        refused("01 000012" + request("").substring(9), Refusal.INVALID_MESSAGE_LENGTH, ""),
        refused("01 00003a" + request("").substring(9), Refusal.INVALID_MESSAGE_LENGTH, ""),
        refused("01 00003c" + request("").substring(9), Refusal.INVALID_MESSAGE_LENGTH, ""),
        refused("01 000194" + request("").substring(9), Refusal.MESSAGE_TOO_LONG, ""),
        refused(message("a0 000118", HOST + REALM), Refusal.INVALID_HEADER_BITS, ""),
        refused(message("10 000118", HOST + REALM), Refusal.INVALID_HEADER_BITS, ""),
        refused(message("c0 000118", HOST + REALM), Refusal.INVALID_HEADER_BITS, ""),
        refused(message("80 ffffff", HOST + REALM), Refusal.COMMAND_UNSUPPORTED, ""),
        // Product-Name with the M bit, and a V bit with vendor 0
        refused(request("0000010d 40 000009 78000000"), Refusal.INVALID_AVP_BITS, "269 0x78"),
        refused(request("00000001 80 00000c 00000000"), Refusal.INVALID_AVP_BITS, "1 0x"),
        // shorter than its header, longer than the message, a number of 3 octets, half a header
        refused(request("00000108 40 000007"), Refusal.INVALID_AVP_LENGTH, "264 0x00"),
        refused(request("00000108 40 000020 61616161"), Refusal.INVALID_AVP_LENGTH, "264 0x00"),
        refused(
            request("0000010a 40 00000b 61616100"), Refusal.INVALID_AVP_LENGTH, "266 0x00000000"),
        refused(request("00000108"), Refusal.INVALID_AVP_LENGTH, ""),
        // an AVP that ends after its group
        refused(
            request("00000104 40 000010 0000010a 40 00000c"),
            Refusal.INVALID_AVP_LENGTH,
            "266 0x00000000"),
        // no UTF-8, no FQDN, an address of family 1 with 3 octets
        refused(request("00000001 40 000009 ff000000"), Refusal.INVALID_AVP_VALUE, "1 0xff"),
        refused(request("00000125 40 000009 20000000"), Refusal.INVALID_AVP_VALUE, "293 0x20"),
        refused(
            request("00000101 40 00000d 0001010203000000"),
            Refusal.INVALID_AVP_VALUE,
            "257 0x0001010203"),
        refused(request("0001869f 40 000009 01000000"), Refusal.AVP_UNSUPPORTED, "99999 0x01"),
        refused(
            request("0001869f c0 00000d 00000007 01000000"),
            Refusal.AVP_UNSUPPORTED,
            "99999/7 0x01"),
        refused(message("80 000118", HOST), Refusal.MISSING_AVP, "296 0x00"),
        // Failed-AVP in Vendor-Specific-Application-Id in the same: depth 4
        refused(
            request("00000104 40 000018 00000104 40 000010 00000104 40 000008"),
            Refusal.TOO_DEEP,
            "260 0x"),
        refused(request("0001869f 00 000008".repeat(8)), Refusal.TOO_MANY_AVPS, ""));
  }

  private static Arguments refused(String octets, Refusal reason, String failed) {
    return Arguments.of(octets, reason, failed);
  }

  @ParameterizedTest
  @MethodSource("malformed")
  void aMalformedMessageHasItsReasonAndTheAvpToBlame(String octets, Refusal reason, String failed) {
    Verdict verdict = READER.read(hex(octets));
    assertThat(verdict).isInstanceOf(Verdict.Refused.class);
    Verdict.Refused refused = (Verdict.Refused) verdict;
    assertThat(refused.reason()).isEqualTo(reason);
    Avp avp = refused.failed();
    assertThat(avp == null ? "" : avp.definition().key() + " " + avp.value()).contains(failed);
    assertThat(avp == null).isEqualTo(failed.isEmpty());
  }

  @Test
  void everyReasonHasAMalformedMessage() {
    Set<Object> seen = new HashSet<>();
    malformed().forEach(one -> seen.add(one.get()[1]));
    assertThat(seen)
        .containsExactlyInAnyOrderElementsOf(Arrays.asList((Object[]) Refusal.values()));
  }

  @Test
  void anUnknownAvpWithoutTheMandatoryBitIsKept() {
    Verdict verdict = READER.read(hex(request("0001869f 00 00000a 01020000")));
    assertThat(((Verdict.Accepted) verdict).message().avps().avps().getLast().value())
        .isEqualTo(new AvpValue.Octets(new byte[] {1, 2}));
  }

  @Test
  void anUnknownMandatoryAvpIsKeptInAGroupThatIsNotMandatory() {
    // Vendor-Specific-Application-Id without the M bit
    Verdict verdict = READER.read(hex(request("00000104 00 000010 0001869f 40 000008")));
    assertThat(verdict).isInstanceOf(Verdict.Accepted.class);
  }

  @Test
  void theAnswerNamesTheResultCodeAndTheFailedAvpAndCanBeReadItself() {
    Verdict.Refused refused =
        (Verdict.Refused) READER.read(hex(request("0000010a 40 00000b 61616100")));
    DiameterMessage answer =
        new Answers(Messages.DICTIONARY, "b.ims.test", "ims.test").refusal(refused);
    assertThat(answer.resultCode()).hasValue(5014);
    assertThat(answer.header().hopByHop()).isEqualTo(1);
    assertThat(answer.header().error()).isFalse();
    assertThat(answer.avps().group("Failed-AVP").orElseThrow().octets("Vendor-Id"))
        .hasValue(new byte[4]);
    assertThat(Messages.READER.read(answer.encode())).isEqualTo(new Verdict.Accepted(answer));
  }

  @Test
  void anAnswerWithAProtocolErrorHasTheErrorBit() {
    Verdict.Refused refused = (Verdict.Refused) READER.read(hex(message("80 ffffff", "")));
    DiameterMessage answer =
        new Answers(Messages.DICTIONARY, "b.ims.test", "ims.test").refusal(refused);
    assertThat(answer.header().error()).isTrue();
    assertThat(answer.resultCode()).hasValue(3001);
  }

  @Test
  void aRefusedAnswerIsNotAnswered() {
    Verdict.Refused refused = (Verdict.Refused) READER.read(hex(message("00 000118", HOST)));
    assertThat(refused.reason()).isEqualTo(Refusal.MISSING_AVP);
    assertThat(new Answers(Messages.DICTIONARY, "b", "r").refusal(refused)).isNull();
    assertThat(List.of(Refusal.values())).filteredOn(Refusal::endsStream).hasSize(3);
  }
}
