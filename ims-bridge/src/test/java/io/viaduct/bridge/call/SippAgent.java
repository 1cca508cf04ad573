package io.viaduct.bridge.call;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A user agent that is a process of sipp. It makes one call, or it registers and takes calls, by a
/// part of a [CallFlow].
final class SippAgent implements AutoCloseable {
  private static final String REGISTER = "/io/viaduct/bridge/registrar/sipp-register.xml";

  private final Path directory;
  private final Process process;

  private SippAgent(Path directory, Process process) {
    this.directory = directory;
    this.process = process;
  }

  /// Starts Alice, who calls Bob.
  ///
  /// @param directory its own
  /// @param address its own, of the loopback network, so that no port can be taken
  /// @param transport sipp's name of it: u1 or t1
  static SippAgent caller(
      Path directory, CallFlow flow, String address, String transport, int bridgePort)
      throws IOException {
    Files.createDirectories(directory);
    write(directory, "caller.xml", flow.caller());
    write(
        directory,
        "users.csv",
        "SEQUENTIAL\n[authentication username=alice password=alice-secret]\n");
    return start(
        directory,
        ("-sf caller.xml -auth_uri bob@ims.test -timeout 60s -timeout_error -i %s -t %s"
                + " 127.0.0.1:%d")
            .formatted(address, transport, bridgePort));
  }

  /// Starts a telephone of Bob, which registers.
  ///
  /// @param part name of its part of the flow
  static SippAgent callee(
      Path directory, CallFlow flow, String part, String address, String transport, int bridgePort)
      throws IOException {
    Files.createDirectories(directory);
    try (var in = SippAgent.class.getResourceAsStream(REGISTER)) {
      // It stays for as long as the test may last.
      String register = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      write(
          directory,
          "register.xml",
          register.replace("</scenario>", "<pause milliseconds=\"120000\"/>\n</scenario>"));
    }
    write(directory, "callee.xml", flow.callee(part));
    write(
        directory,
        "users.csv",
        "SEQUENTIAL\nbob;[authentication username=bob password=bob-secret]\n");
    return start(
        directory,
        "-sf register.xml -oocsf callee.xml -auth_uri ims.test -i %s -t %s 127.0.0.1:%d"
            .formatted(address, transport, bridgePort));
  }

  private static void write(Path directory, String name, String text) throws IOException {
    Files.writeString(directory.resolve(name), text);
  }

  private static SippAgent start(Path directory, String options) throws IOException {
    List<String> words =
        new ArrayList<>(
            List.of("sipp", "-m", "1", "-inf", "users.csv", "-nostdin", "-trace_shortmsg"));
    words.addAll(List.of("-shortmessage_file", "short.log", "-trace_msg"));
    words.addAll(List.of("-message_file", "messages.log"));
    words.addAll(List.of(options.split(" ")));
    return new SippAgent(
        directory,
        new ProcessBuilder(words)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectInput(new File("/dev/null"))
            .redirectOutput(directory.resolve("output.txt").toFile())
            .start());
  }

  /// Waits until the process has ended, and returns its exit code: 0 if all went as its part says.
  int exitCode() throws InterruptedException {
    if (!process.waitFor(70, TimeUnit.SECONDS)) {
      throw new AssertionError("sipp goes on");
    }
    return process.exitValue();
  }

  /// Returns what has arrived, in its order and without retransmissions: requests as `BYE 4`,
  /// responses as `200 BYE 4`. Those about its registration and 100 are left out.
  List<String> heard() throws IOException {
    Path log = directory.resolve("short.log");
    if (!Files.exists(log)) {
      return List.of();
    }
    // date, time, seconds, R or S, Call-ID, CSeq, first line
    return Files.readAllLines(log, StandardCharsets.ISO_8859_1).stream()
        .map(line -> line.split("\t"))
        .filter(fields -> fields.length == 7 && fields[3].equals("R"))
        .map(fields -> text(fields[6].strip(), fields[5].substring("CSeq:".length()).strip()))
        .filter(text -> !text.startsWith("100 ") && !text.endsWith(" REGISTER"))
        .distinct()
        .toList();
  }

  private static String text(String line, String cseq) {
    String[] numbered = cseq.split("\\s+");
    String[] words = line.split(" ");
    return words[0].startsWith("SIP/")
        ? words[1] + " " + numbered[0] + " " + numbered[1]
        : words[0] + " " + numbered[0];
  }

  /// Returns all messages that it has sent and got.
  String messages() throws IOException {
    Path log = directory.resolve("messages.log");
    return Files.exists(log) ? Files.readString(log, StandardCharsets.ISO_8859_1) : "";
  }

  /// Returns what it has printed, and its messages, for a failed test.
  String story() throws IOException {
    return Files.readString(directory.resolve("output.txt"), StandardCharsets.ISO_8859_1)
        + messages();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
