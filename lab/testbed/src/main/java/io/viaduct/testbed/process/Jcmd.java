package io.viaduct.testbed.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Asks a JVM for its memory, by the JDK's program `jcmd`.
///
/// @param process its id
public record Jcmd(long process) {
  private static final Pattern TOTAL = Pattern.compile("(?m)^Total\\s+\\d+\\s+(\\d+)");

  /// Returns what a diagnostic command has printed.
  public String run(String... words) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString());
    command.add(Long.toString(process));
    command.addAll(List.of(words));
    Process asked = new ProcessBuilder(command).redirectErrorStream(true).start();
    return new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  /// Returns the bytes of the objects that live after a full collection.
  public long liveBytes() throws IOException {
    String text = run("GC.class_histogram");
    Matcher found = TOTAL.matcher(text);
    if (!found.find()) {
      throw new IllegalStateException("jcmd printed no total: " + text);
    }
    return Long.parseLong(found.group(1));
  }
}
