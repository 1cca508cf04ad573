package io.viaduct.bridge.call;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// A call flow between two or three user agents, each a sipp process: a file of the directory
/// `flows`, with one part for each. A part has elements of sipp's scenarios, and messages in short:
///
/// ```
/// {send METHOD CSEQ; header; header}   a request inside the dialog, by the caller
/// {cancel CSEQ}                        CANCEL of the INVITE
/// {ack CSEQ}                           ACK of an acceptance
/// {ack of refusal CSEQ}
/// {answer STATUS WORDS; header}        a response to the INVITE, by the callee
/// {reply STATUS WORDS; header}         a response to the last request
/// ```
///
/// Before its part the caller sends an INVITE, without credentials and with them (CSeq 2); the
/// callee takes one.
final class CallFlow {
  private static final Pattern SHORT = Pattern.compile("\\{([^}]+)\\}");

  /// The headers that the answers to the INVITE need when other requests have come after it.
  private static final String INVITED =
      """
        <recv request="INVITE">
          <action>
            <ereg regexp=".*" search_in="hdr" header="Via:" occurrence="1" assign_to="via"/>
            <ereg regexp=".*" search_in="hdr" header="Via:" occurrence="2" assign_to="viaOfCaller"/>
            <ereg regexp=".*" search_in="hdr" header="Record-Route:" assign_to="route"/>
            <ereg regexp=".*" search_in="hdr" header="CSeq:" assign_to="cseq"/>
          </action>
        </recv>
      """;

  private static final String CONTACT_OF_CALLER =
      "Contact: <sip:alice@[local_ip]:[local_port];transport=[transport]>";
  private static final String CONTACT_OF_CALLEE =
      "Contact: <sip:bob@[local_ip]:[local_port];transport=[transport]>";
  private static final String FROM = "From: <sip:alice@ims.test>;tag=[pid]-[call_number]";
  private static final String TO_INSIDE = "To: <sip:bob@ims.test>[peer_tag_param]";

  /// Via of the INVITE with credentials, and of what belongs to its transaction.
  private static final String VIA_OF_INVITE = via("z9hG4bK-[pid]-[call_number]-invite");

  private static final String VIA = via("[branch]");

  private final String text;

  private CallFlow(String text) {
    this.text = text;
  }

  private static String via(String branch) {
    return "Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=" + branch + ";rport";
  }

  static CallFlow read(String name) throws IOException {
    try (var in = CallFlow.class.getResourceAsStream("flows/" + name + ".xml")) {
      return new CallFlow(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  /// Returns the scenario of the caller.
  String caller() {
    return scenario(
        send("500", invite(1, VIA, ""))
            + "<recv response=\"407\" auth=\"true\"/>\n"
            + send("", refused("[last_Via:]", 1))
            + send("500", invite(2, VIA_OF_INVITE, "[field0]"))
            + "<recv response=\"100\" optional=\"global\"/>\n"
            + part("caller"));
  }

  /// Returns the scenario by which a user agent takes the call.
  ///
  /// @param part its name
  String callee(String part) {
    return scenario(INVITED + part(part));
  }

  private static String scenario(String steps) {
    return """
    <?xml version="1.0" encoding="ISO-8859-1" ?>
    <!DOCTYPE scenario SYSTEM "sipp.dtd">
    <scenario name="flow">
    %s</scenario>
    """
        .formatted(steps);
  }

  private String part(String name) {
    String begin = "<" + name + ">";
    int from = text.indexOf(begin) + begin.length();
    String steps = text.substring(from, text.indexOf("</" + name + ">", from));
    return SHORT.matcher(steps).replaceAll(found -> Matcher.quoteReplacement(step(found.group(1))));
  }

  private static String step(String words) {
    String[] parts = words.split(";\\s*");
    String[] head = parts[0].split(" ", 2);
    String more =
        Arrays.stream(parts).skip(1).map(header -> header + "\n").collect(Collectors.joining());
    return switch (head[0]) {
      case "send" -> inside(head[1].split(" ")[0], number(head[1]), more);
      case "cancel" ->
          send(
              "500",
              request("CANCEL", VIA_OF_INVITE, "To: <sip:bob@ims.test>", number(head[1]), ""));
      case "ack" ->
          head[1].startsWith("of refusal")
              ? send("", refused(VIA_OF_INVITE, number(head[1])))
              : send("", dialog("ACK", number(head[1]), ""));
      case "answer" ->
          send(
              more.isEmpty() && head[1].startsWith("1") ? "" : "500",
              response(
                  head[1],
                  "Via:[$via]\nVia:[$viaOfCaller]\nRecord-Route:[$route]",
                  "CSeq:[$cseq]",
                  more));
      case "reply" ->
          send("", response(head[1], "[last_Via:]\n[last_Record-Route:]", "[last_CSeq:]", more));
      default -> throw new IllegalArgumentException(words);
    };
  }

  /// Returns the number at the end.
  private static int number(String words) {
    return Integer.parseInt(words.substring(words.lastIndexOf(' ') + 1));
  }

  private static String inside(String method, int cseq, String more) {
    return send("500", dialog(method, cseq, CONTACT_OF_CALLER + "\n" + more));
  }

  private static String dialog(String method, int cseq, String more) {
    return message(
        method + " [next_url] SIP/2.0",
        VIA,
        FROM,
        TO_INSIDE,
        "[routes]",
        "Call-ID: [call_id]",
        "CSeq: " + cseq + " " + method,
        "Max-Forwards: 70",
        more);
  }

  private static String invite(int cseq, String via, String credentials) {
    return request(
        "INVITE", via, "To: <sip:bob@ims.test>", cseq, CONTACT_OF_CALLER + "\n" + credentials);
  }

  private static String refused(String via, int cseq) {
    return request("ACK", via, "[last_To:]", cseq, "");
  }

  private static String request(String method, String via, String to, int cseq, String more) {
    return message(
        method + " sip:bob@ims.test SIP/2.0",
        via,
        FROM,
        to,
        "Call-ID: [call_id]",
        "CSeq: " + cseq + " " + method,
        "Max-Forwards: 70",
        more);
  }

  private static String response(String status, String way, String cseq, String more) {
    return message(
        "SIP/2.0 " + status,
        way,
        "[last_From:]",
        "To: <sip:bob@ims.test>;tag=[pid]b[call_number]",
        "[last_Call-ID:]",
        cseq,
        CONTACT_OF_CALLEE,
        more);
  }

  private static String message(String... lines) {
    return Arrays.stream(lines)
        .map(String::strip)
        .filter(line -> !line.isEmpty())
        .map(line -> line + "\n")
        .collect(Collectors.joining("", "", "Content-Length: 0\n\n"));
  }

  /// @param retrans first pause of its retransmissions over UDP, in milliseconds; empty for none
  private static String send(String retrans, String message) {
    return "<send%s><![CDATA[\n%s]]></send>\n"
        .formatted(retrans.isEmpty() ? "" : " retrans=\"" + retrans + "\"", message);
  }
}
