package io.viaduct.cnapt.policy;

import io.viaduct.cnapt.classification.Application;
import io.viaduct.cnapt.classification.Classifier;
import io.viaduct.cnapt.classification.FlowIdentity;
import io.viaduct.tunnel.wire.ServiceClass;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A flow as the user writes it for `cnapt policy test`:
///
///     PROTOCOL LOCAL REMOTE [application=NAME] [process=NAME] [age=T]
///
/// An address of tcp or udp has a port: `198.51.100.7:5060`, `[2001:db8::7]:5060`. Without an
/// application, the classification table decides.
///
/// @param local address of the device, for the output
/// @param age age of the flow
/// @param first class of its first packet, by which it gets its SNAPT: the process is not known yet
public record FlowQuestion(FlowFacts facts, InetAddress local, Duration age, ServiceClass first) {
  private static final Pattern TIME = Pattern.compile("(\\d{1,6})(ms|s|min)");

  /// Parses the words of a flow.
  ///
  /// @throws IllegalArgumentException naming the word and the form
  public static FlowQuestion of(List<String> words, Classifier classifier) {
    if (words.size() < 3) {
      throw new IllegalArgumentException(
          "a flow is PROTOCOL LOCAL REMOTE [application=NAME] [process=NAME] [age=T], such as 'udp"
              + " 10.0.0.2:5000 198.51.100.7:5060', got '"
              + String.join(" ", words)
              + "'");
    }
    ProtocolName protocol = ProtocolName.of(words.get(0));
    FlowEnd local = end(words.get(1), protocol);
    FlowEnd remote = end(words.get(2), protocol);
    FlowIdentity identity = new FlowIdentity(protocol.number(), local.port(), remote.port());
    String name = null;
    String process = null;
    Duration age = Duration.ZERO;
    for (String word : words.subList(3, words.size())) {
      String value = word.substring(word.indexOf('=') + 1);
      switch (word.substring(0, Math.max(0, word.indexOf('=')))) {
        case "application" -> name = value;
        case "process" -> process = value;
        case "age" -> age = age(value);
        default ->
            throw new IllegalArgumentException(
                "a word behind the addresses must be application=NAME, process=NAME or age=T,"
                    + " got '"
                    + word
                    + "'");
      }
    }
    Application application =
        name == null ? classifier.classify(identity, process) : named(name, classifier);
    Application first = name == null ? classifier.classify(identity, null) : application;
    return new FlowQuestion(
        new FlowFacts(identity, remote.address(), application),
        local.address(),
        age,
        first.serviceClass());
  }

  private static Application named(@Nullable String name, Classifier classifier) {
    return classifier.applications().stream()
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "unknown application '%s'; the table has: %s"
                    .formatted(name, String.join(", ", classifier.names()))));
  }

  private static FlowEnd end(String text, ProtocolName protocol) {
    if (protocol.hasPorts()) {
      return FlowEnd.withPort(text);
    }
    InetAddress address = FlowEnd.literal(text);
    if (address == null) {
      throw new IllegalArgumentException(
          "an end of a flow of " + protocol + " must be an address, got '" + text + "'");
    }
    return new FlowEnd(address, 0);
  }

  private static Duration age(String text) {
    Matcher time = TIME.matcher(text);
    if (!time.matches()) {
      throw new IllegalArgumentException(
          "age must be such as 5s, 500ms or 2min, got '" + text + "'");
    }
    long number = Long.parseLong(time.group(1));
    return switch (time.group(2)) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      default -> Duration.ofMinutes(number);
    };
  }
}
