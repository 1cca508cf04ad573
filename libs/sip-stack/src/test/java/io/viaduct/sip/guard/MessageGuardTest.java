package io.viaduct.sip.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// One valid message, and each way to make it invalid. The idea is that of RFC 4475; the messages
/// are our own.
class MessageGuardTest {
  private static final String SOUND =
      """
      MESSAGE sip:bob@ims.test SIP/2.0
      Via: SIP/2.0/UDP host.ims.test:5060;branch=z9hG4bKx;rport
      From: "Alice, the first" <sip:alice@ims.test>;tag=1
      To: <sip:bob@ims.test>
      Call-ID: a@b
      CSeq: 7 MESSAGE
      Max-Forwards: 70
      Content-Type: text/plain
      Content-Length: 5

      hello\
      """
          .replace("\n", "\r\n");

  private static final MessageGuard GUARD = new MessageGuard(GuardLimits.STANDARD);

  private static Verdict inspect(String message) {
    return GUARD.datagram(message.getBytes(StandardCharsets.UTF_8));
  }

  private static String with(String old, String next) {
    assertThat(SOUND).contains(old);
    return SOUND.replace(old, next);
  }

  private static String header(String line) {
    return with("Max-Forwards", line + "\r\nMax-Forwards");
  }

  private static String via(String value) {
    return with("SIP/2.0/UDP host.ims.test:5060;branch=z9hG4bKx;rport", value);
  }

  @Test
  void aSoundMessageIsAcceptedWithItsParts() {
    assertThat(inspect(SOUND))
        .isInstanceOfSatisfying(
            Verdict.Accepted.class,
            accepted -> {
              SipRequest request = (SipRequest) accepted.message();
              assertThat(request.method()).isEqualTo("MESSAGE");
              assertThat(request.uri()).isEqualTo("sip:bob@ims.test");
              assertThat(request.body().text()).isEqualTo("hello");
              assertThat(request.from().tag()).isEqualTo("1");
              assertThat(request.cseq().number()).isEqualTo(7);
            });
  }

  static Stream<Arguments> acceptable() {
    return Stream.of(
        Arguments.of(
            "compact names",
            with("Via:", "v:").replace("From:", "f :").replace("Content-Length:", "l:")),
        Arguments.of("a folded line", with("Max-Forwards: 70", "Max-Forwards:\r\n 70")),
        Arguments.of("names in any case", with("Call-ID", "cAlL-iD")),
        Arguments.of("blanks in Via", via("SIP / 2.0 / UDP   h.test : 5060 ;branch=z9hG4bKx")),
        Arguments.of(
            "two Via values in a line",
            via("SIP/2.0/UDP a;branch=z9hG4bK1, SIP/2.0/TCP [2001:db8::1]:5062;branch=z9hG4bK2")),
        Arguments.of("an unknown method", SOUND.replace("MESSAGE", "!NEW-1.method")),
        Arguments.of("an unknown header", header("X-Unheard-Of: anything; goes \\here")),
        Arguments.of("UTF-8 in a display name", with("Alice, the first", "Älìce 愛")),
        Arguments.of(
            "an escaped quote in a display name", with("Alice, the first", "Al\\\"ice \\\\")),
        Arguments.of("a tel URI in From", with("<sip:alice@ims.test>", "<tel:+41581234567>")),
        Arguments.of("an empty header", header("Subject:")),
        Arguments.of("a control character in a quoted pair", with("Alice, the", "Al\\\0, the")),
        Arguments.of("no Max-Forwards, as in RFC 2543", with("Max-Forwards", "Max-Forward")),
        Arguments.of("no Content-Length, as in RFC 2543", with("Content-Length", "Content-Len")),
        Arguments.of("leading zeros", with("Max-Forwards: 70", "Max-Forwards: 00070")),
        Arguments.of("bytes after the body", with("Content-Length: 5", "Content-Length: 4")));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("acceptable")
  void aMessageThatTheStandardAllowsIsAccepted(String name, String message) {
    assertThat(inspect(message)).as(name).isInstanceOf(Verdict.Accepted.class);
  }

  static Stream<Arguments> refused() {
    return Stream.of(
        Arguments.of(Refusal.TOO_SHORT, "OPTIONS"),
        Arguments.of(Refusal.TOO_LONG, SOUND + "x".repeat(20_000)),
        Arguments.of(Refusal.NO_END_OF_HEAD, SOUND.substring(0, 200)),
        Arguments.of(
            Refusal.HEAD_TOO_LONG, header(("X: " + "x".repeat(1000) + "\r\n").repeat(6) + "X: x")),
        Arguments.of(Refusal.LINE_TOO_LONG, header("X: " + "x".repeat(2100))),
        Arguments.of(Refusal.TOO_MANY_HEADERS, header("X: x\r\n".repeat(64) + "X: x")),
        Arguments.of(Refusal.NUL_BYTE, with("a@b", "a\0@b")),
        Arguments.of(Refusal.CONTROL_CHARACTER, with("a@b", "a\u0007@b")),
        Arguments.of(Refusal.CONTROL_CHARACTER, with("a@b", "a\u007f@b")),
        Arguments.of(Refusal.BARE_LINE_FEED, with("a@b\r\n", "a@b\n")),
        Arguments.of(Refusal.BARE_CARRIAGE_RETURN, with("a@b", "a\r@b")),
        Arguments.of(Refusal.MALFORMED_START_LINE, with("MESSAGE sip:bob", "MESSAGE  sip:bob")),
        Arguments.of(
            Refusal.MALFORMED_START_LINE,
            with("MESSAGE sip:bob@ims.test SIP/2.0", "MESSAGE sip:bob@ims.test")),
        Arguments.of(
            Refusal.MALFORMED_START_LINE,
            with("MESSAGE sip:bob@ims.test", "MESSAGE <sip:bob@ims.test>")),
        Arguments.of(
            Refusal.MALFORMED_START_LINE,
            with("MESSAGE sip:bob@ims.test", "MESSAGE sip:bob@ims.test;\\")),
        Arguments.of(
            Refusal.MALFORMED_START_LINE,
            with("MESSAGE sip:bob@ims.test SIP/2.0", "SIP/3.0 200 OK")),
        Arguments.of(
            Refusal.MALFORMED_START_LINE,
            with("MESSAGE sip:bob@ims.test SIP/2.0", "SIP/2.0 4294967301 better")),
        Arguments.of(Refusal.VERSION_NOT_SUPPORTED, with("SIP/2.0\r\nVia", "SIP/7.0\r\nVia")),
        Arguments.of(Refusal.MALFORMED_HEADER, header("no colon here")),
        Arguments.of(Refusal.MALFORMED_HEADER, header("B@d: name")),
        Arguments.of(Refusal.MALFORMED_CALL_ID, with("a@b", "a b")),
        Arguments.of(Refusal.MISSING_VIA, with("Via:", "Viaa:")),
        Arguments.of(
            Refusal.TOO_MANY_VIAS,
            header(("Via: SIP/2.0/UDP h;branch=z9hG4bKx\r\n").repeat(48) + "X: x")),
        Arguments.of(Refusal.MALFORMED_VIA, via("SIP/2.0/UDP ;branch=z9hG4bKx")),
        Arguments.of(Refusal.MALFORMED_VIA, via("SIP/2.0/UDP h:99999;branch=z9hG4bKx")),
        Arguments.of(Refusal.MALFORMED_VIA, via("SIP/2.0/UDP h;branch=\"z9hG4bKx")),
        Arguments.of(Refusal.MALFORMED_VIA, via("SIP/2.0/UDP h;branch=z9hG4bKx (a comment)")),
        Arguments.of(Refusal.MALFORMED_VIA, via("SIP/2.0/UDP [192.0.2.1];branch=z9hG4bKx")),
        Arguments.of(Refusal.MALFORMED_VIA, via("")),
        Arguments.of(Refusal.MALFORMED_VIA, via("SIP/2.0/UDP h;x=<, SIP/2.0/UDP i;rport")),
        Arguments.of(Refusal.VIA_BACKSLASH, via("SIP/2.0/UDP h;branch=z9hG4bKx (a comment\\")),
        Arguments.of(Refusal.VIA_BACKSLASH, via("SIP/2.0/UDP h;x=\"\\\"\";branch=z9hG4bKx")),
        Arguments.of(Refusal.VIA_UNBALANCED_PARENTHESES, via("SIP/2.0/UDP h;branch=z9hG4bKx (a")),
        Arguments.of(Refusal.VIA_UNBALANCED_PARENTHESES, via("SIP/2.0/UDP h;branch=z9hG4bKx )(")),
        Arguments.of(Refusal.MISSING_FROM, with("From:", "Form:")),
        Arguments.of(Refusal.MISSING_TO, with("\r\nTo:", "\r\nToo:")),
        Arguments.of(Refusal.MALFORMED_ADDRESS, with("<sip:bob@ims.test>", "<sip:bob@ims.test")),
        Arguments.of(Refusal.MALFORMED_ADDRESS, with("<sip:bob@ims.test>", "")),
        Arguments.of(Refusal.MALFORMED_ADDRESS, with("\"Alice, the first\"", "\"Alice, the first")),
        Arguments.of(Refusal.MALFORMED_ADDRESS, with("<sip:bob@ims.test>", "<sip:b ob@ims.test>")),
        Arguments.of(
            Refusal.MALFORMED_ADDRESS, with("<sip:bob@ims.test>", "<sip:bob@ims.test>;x=<")),
        Arguments.of(Refusal.MALFORMED_ADDRESS, with("<sip:bob@ims.test>", "<sip:b@i.test>;tag=")),
        Arguments.of(Refusal.MISSING_CALL_ID, with("Call-ID", "Call-IDD")),
        Arguments.of(Refusal.MISSING_CSEQ, with("CSeq:", "CSec:")),
        Arguments.of(Refusal.MALFORMED_CSEQ, with("7 MESSAGE", "36893488147419103232 MESSAGE")),
        Arguments.of(Refusal.MALFORMED_CSEQ, with("7 MESSAGE", "2147483648 MESSAGE")),
        Arguments.of(Refusal.MALFORMED_CSEQ, with("7 MESSAGE", "-7 MESSAGE")),
        Arguments.of(Refusal.CSEQ_METHOD_MISMATCH, with("7 MESSAGE", "7 INVITE")),
        Arguments.of(Refusal.MALFORMED_MAX_FORWARDS, with("Max-Forwards: 70", "Max-Forwards: 256")),
        Arguments.of(Refusal.MALFORMED_MAX_FORWARDS, with("Max-Forwards: 70", "Max-Forwards: x")),
        Arguments.of(Refusal.DUPLICATE_HEADER, header("t: <sip:eve@ims.test>")),
        Arguments.of(Refusal.DUPLICATE_HEADER, header("CSeq: 8 MESSAGE")),
        Arguments.of(Refusal.DUPLICATE_CONTENT_LENGTH, header("l: 5")),
        Arguments.of(
            Refusal.MALFORMED_CONTENT_LENGTH, with("Content-Length: 5", "Content-Length: -5")),
        Arguments.of(
            Refusal.URI_HEADERS, with("sip:bob@ims.test SIP", "sip:bob@ims.test?Route=x SIP")),
        Arguments.of(
            Refusal.CONTENT_LENGTH_MISMATCH, with("Content-Length: 5", "Content-Length: 6")),
        Arguments.of(
            Refusal.BODY_TOO_LONG,
            with("Content-Length: 5", "Content-Length: 9000") + "x".repeat(9_000)),
        Arguments.of(Refusal.MALFORMED_NUMBER, header("RSeq: 1x")),
        Arguments.of(Refusal.MALFORMED_NUMBER, header("Expires: 1000000000000")),
        Arguments.of(Refusal.MALFORMED_NUMBER, header("Min-Expires: ")));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("refused")
  void eachFaultHasItsOwnReason(Refusal reason, String message) {
    assertThat(inspect(message))
        .isInstanceOfSatisfying(
            Verdict.Refused.class,
            refused -> {
              assertThat(refused.reason()).isEqualTo(reason);
              assertThat(reason.status() != 0 || refused.answerable() == null)
                  .as("only a reason with a status is answered")
                  .isTrue();
            });
  }

  @Test
  void bytesThatAreNoUtf8AreRefused() {
    byte[] bytes = SOUND.getBytes(StandardCharsets.ISO_8859_1);
    bytes[SOUND.indexOf("Alice")] = (byte) 0xff;
    assertThat(GUARD.datagram(bytes))
        .as("From cannot be repeated in an answer")
        .isEqualTo(new Verdict.Refused(Refusal.NOT_UTF8, null));
  }

  private static Stream<Arguments> unreadable() {
    String agent = header("User-Agent: " + "u".repeat(200));
    return Stream.of(
        Arguments.of(513, SOUND + "x".repeat(20_000)),
        Arguments.of(513, header(("X: " + "x".repeat(1000) + "\r\n").repeat(6) + "X: x")),
        Arguments.of(513, header("X: " + "x".repeat(2100))),
        Arguments.of(513, header("X: xxx\r\n".repeat(64) + "X: x")),
        Arguments.of(400, agent.replace("Max-Forwards: 70", "no colon here")),
        Arguments.of(400, agent.replace("User-Agent: u", "User-Agent: \u00ff")));
  }

  @ParameterizedTest
  @MethodSource
  void unreadable(int status, String message) {
    byte[] bytes = message.getBytes(StandardCharsets.ISO_8859_1);
    Verdict.Refused refused = (Verdict.Refused) GUARD.datagram(bytes);
    assertThat(refused.reason().status()).isEqualTo(status);
    SipRequest answerable = java.util.Objects.requireNonNull(refused.answerable(), "answered");
    SipResponse answer = SipResponse.to(answerable, status);
    for (String name : java.util.List.of("Via", "From", "To", "Call-ID", "CSeq")) {
      assertThat(message).contains("\r\n" + name + ": " + answer.headers().require(name) + "\r\n");
    }
    assertThat(answerable.headers().list()).as("nothing else").hasSize(5);
  }

  @Test
  void anUnreadableHeadIsNotAnsweredIfTheAnswerWouldBeLongerOrToAnAck() {
    String brief = with("Max-Forwards: 70", "no colon here");
    String ack = header("X: " + "x".repeat(2100)).replace("MESSAGE", "ACK");
    String twice = header("X: " + "x".repeat(2100) + "\r\nCall-ID: c@d");
    String cut = header("Y: " + "x".repeat(6100)).replace("CSeq: 7 MESSAGE\r\n", "");
    for (String message : java.util.List.of(brief, ack, twice, cut)) {
      assertThat(inspect(message))
          .isInstanceOfSatisfying(
              Verdict.Refused.class, refused -> assertThat(refused.answerable()).isNull());
    }
  }

  @Test
  void theTableAboveKnowsEveryReasonOfTheGuard() {
    Set<Refusal> elsewhere =
        EnumSet.of(
            Refusal.STACK_PARSER,
            Refusal.OVERLOAD,
            Refusal.OVERFLOW,
            Refusal.STRAY_RESPONSE,
            Refusal.MALFORMED_STUN, // no text: the tests of endpoints send it
            Refusal.TOO_MANY_CONNECTIONS,
            Refusal.TOO_MANY_CONNECTIONS_OF_SOURCE,
            Refusal.FIRST_MESSAGE_LATE,
            Refusal.TLS_HANDSHAKE_FAILED, // by connections: the tests of endpoints make them
            Refusal.NO_SIP_WEB_SOCKET,
            Refusal.MALFORMED_WEB_SOCKET,
            Refusal.TOO_MANY_ANSWERS,
            Refusal.UNFINISHED,
            Refusal.MISSING_CONTENT_LENGTH, // in streams only
            Refusal.NOT_UTF8);
    Set<Refusal> tested = EnumSet.copyOf(elsewhere);
    refused().forEach(row -> tested.add((Refusal) row.get()[0]));
    assertThat(tested).containsExactlyInAnyOrder(Refusal.values());
  }

  @Test
  void nothingIsAnsweredToAnAck() {
    String ack = SOUND.replace("MESSAGE", "ACK").replace("SIP/2.0\r\nVia", "SIP/7.0\r\nVia");
    assertThat(inspect(ack)).isEqualTo(new Verdict.Refused(Refusal.VERSION_NOT_SUPPORTED, null));
  }

  @Test
  void aResponseNeedsNoMaxForwards() {
    String response =
        with("MESSAGE sip:bob@ims.test SIP/2.0", "SIP/2.0 200 ")
            .replace("Max-Forwards: 70\r\n", "");
    assertThat(inspect(response))
        .isInstanceOfSatisfying(
            Verdict.Accepted.class,
            accepted -> assertThat(((SipResponse) accepted.message()).status()).isEqualTo(200));
  }

  @Test
  void lineEndsAloneAreAKeepAlive() {
    assertThat(inspect("\r\n\r\n")).isInstanceOf(Verdict.KeepAlive.class);
    assertThat(inspect("")).isInstanceOf(Verdict.KeepAlive.class);
  }

  @Test
  void aWrittenMessageIsReadBackUnchanged() {
    Verdict first = inspect(SOUND);
    SipRequest request = (SipRequest) ((Verdict.Accepted) first).message();
    assertThat(GUARD.datagram(request.encode()))
        .isInstanceOfSatisfying(
            Verdict.Accepted.class,
            again -> {
              assertThat(again.message().body()).isEqualTo(request.body());
              assertThat(again.message().headers().without("Content-Length"))
                  .isEqualTo(request.headers().without("Content-Length"));
            });
  }
}
