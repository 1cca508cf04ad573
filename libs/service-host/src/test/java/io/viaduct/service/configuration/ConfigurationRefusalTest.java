package io.viaduct.service.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.fasterxml.jackson.annotation.JsonCreator;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Tests the messages about mistakes in a file: they name keys, values and rules of the file, and
/// no term of Java.
class ConfigurationRefusalTest {
  enum Mode {
    ON_DEMAND,
    ALWAYS
  }

  record Word(String text) {
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    static Word of(String text) {
      if (text.isEmpty()) {
        throw new IllegalArgumentException("must be a word");
      }
      return new Word(text);
    }
  }

  record Listener(String host, int port) {
    Listener {
      if (port > 65535) {
        throw new IllegalArgumentException("port must be from 0 to 65535, got " + port);
      }
    }
  }

  record Node(
      Listener listen,
      Mode mode,
      Word word,
      Duration pause,
      boolean fast,
      double share,
      long most,
      URI peer,
      List<Integer> sizes,
      Map<String, String> owners,
      Optional<Path> extra) {}

  private static final String GOOD =
      """
      listen: {host: a, port: 1}
      mode: ALWAYS
      word: w
      pause: 5s
      fast: true
      share: 0.5
      most: 7
      peer: "http://a:1"
      sizes: [1, 2]
      owners: {a: b}
      extra:
      """;

  @TempDir Path folder;

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("x.yml"), text);
  }

  private String refusal(String text) throws IOException {
    Path file = file(text);
    Throwable refused = catchThrowable(() -> ConfigurationFile.load(file, Node.class));
    assertThat(refused).as(text).isInstanceOf(ConfigurationException.class);
    assertThat(refused.getMessage())
        .startsWith(file + ": ")
        .doesNotContain(
            "\n", "java", "jackson", "io.viaduct", "Exception", "FAIL_ON", "Token", "`");
    return refused.getMessage().substring((file + ": ").length());
  }

  private static String with(String key, String value) {
    return GOOD.replaceAll("(?m)^" + key + ":.*", key + ": " + value);
  }

  @Test
  void whatIsRightIsBound() throws Exception {
    assertThat(ConfigurationFile.load(file(GOOD), Node.class).extra()).isEmpty();
    assertThat(ConfigurationFile.load(file(with("extra", "e")), Node.class).extra())
        .contains(folder.resolve("e"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          listen | {host: a, port: many}  | key 'listen.port': value 'many': must be a whole number of at most 2147483647
          listen | {host: a, port: 80.5}  | key 'listen.port': value '80.5': must be a whole number of at most 2147483647
          listen | {host: a, port: 99999999999} | key 'listen.port': value '99999999999': must be a whole number of at most 2147483647
          listen | {host: a, port: true}  | key 'listen.port': value 'true': must be a whole number of at most 2147483647
          listen | {host: a, port: [1]}   | key 'listen.port': must be a whole number of at most 2147483647, is a list
          listen | {host: a, port: ""}    | key 'listen.port': value '': must be a whole number of at most 2147483647
          listen | {host: a, port: }      | key 'listen.port': must be given, it has no default
          listen | {host: a, port: 70000} | key 'listen': port must be from 0 to 65535, got 70000
          listen | {host: [a], port: 1}   | key 'listen.host': must be one value, is a list
          listen | 9                      | key 'listen': value '9': must be a mapping of host, port
          listen | [9]                    | key 'listen': must be a mapping of host, port, is a list
          mode   | NEVER                  | key 'mode': value 'NEVER': must be one of on_demand, always
          word   | ""                     | key 'word': value '': must be a word
          word   | [a]                    | key 'word': must be one value, is a list
          pause  | 7                      | key 'pause': value '7': must be a duration with its unit, such as 200ms, 10s, 5m
          pause  | [7s]                   | key 'pause': must be a duration with its unit, such as 200ms, 10s, 5m, is a list
          fast   | perhaps                | key 'fast': value 'perhaps': must be true or false
          share  | half                   | key 'share': value 'half': must be a number
          most   | much                   | key 'most': value 'much': must be a whole number of at most 9223372036854775807
          peer   | "a b"                  | key 'peer': value 'a b': must be an address such as http://host:port
          sizes  | 1                      | key 'sizes': value '1': must be a list, such as [a, b]
          sizes  | [1, x]                 | key 'sizes[1]': value 'x': must be a whole number of at most 2147483647
          sizes  | [1, null]              | key 'sizes[1]': must be given, it has no default
          owners | {a: }                  | key 'owners.a': must be given, it has no default
          owners | acme                   | key 'owners': value 'acme': must be a mapping, such as {a: b}
          owners | {a: [b]}               | key 'owners.a': must be one value, is a list
          """)
  void aWrongValueIsToldByKeyValueAndRule(String key, String value, String refusal)
      throws Exception {
    assertThat(refusal(with(key, value))).isEqualTo(refusal);
  }

  @Test
  void everythingThatIsWrongIsToldAtOnce() throws Exception {
    assertThat(
            refusal(
                with("listen", "{hots: a, port: many}")
                    .replace("mode: ALWAYS\n", "mdoe: ALWAYS\n")))
        .isEqualTo(
            "unknown key 'mdoe'; known keys there: extra, fast, listen, mode, most, owners, pause,"
                + " peer, share, sizes, word; unknown key 'listen.hots'; known keys there: host,"
                + " port; key 'listen.port': value 'many': must be a whole number of at most"
                + " 2147483647; keys 'listen.host', 'mode': must be given, they have no default");
  }

  @Test
  void anEmptyFileIsToldEveryKeyThatItMustHold() throws Exception {
    assertThat(refusal(""))
        .isEqualTo(
            "keys 'listen.host', 'listen.port', 'mode', 'word', 'pause', 'fast', 'share', 'most',"
                + " 'peer', 'sizes', 'owners': must be given, they have no default");
  }

  @Test
  void aKeyThatIsGivenTwiceIsRefusedWithItsLine() throws Exception {
    assertThat(refusal(GOOD + "mode: ALWAYS\n"))
        .isEqualTo("line 12: key 'mode' is given twice: keep one");
  }

  @Test
  void whatIsNoFileOfTextIsRefusedInWords() throws Exception {
    assertThatThrownBy(() -> ConfigurationFile.load(folder.resolve("none"), Node.class))
        .hasMessage(
            folder.resolve("none") + ": does not exist: correct the path or create the file");
    assertThatThrownBy(() -> ConfigurationFile.load(folder, Node.class))
        .hasMessage(folder + ": is a directory, must be a file");
    Path bytes = Files.write(folder.resolve("bytes"), new byte[] {(byte) 0xff, (byte) 0xfe, 0});
    assertThatThrownBy(() -> ConfigurationFile.load(bytes, Node.class))
        .hasMessage(bytes + ": is not text in UTF-8");
    assertThatThrownBy(() -> ConfigurationFile.load(Path.of("/dev/zero"), Node.class))
        .hasMessage("/dev/zero: must be a YAML file of at most 16777216 bytes, is longer");
    assertThat(refusal("hello")).isEqualTo("must be a YAML mapping of keys to values");
    assertThat(refusal("a:\n\tb: 1\n")).startsWith("is not YAML: ").contains("TAB", "line 2");
  }

  @Test
  void lineEndsOfWindowsAndAByteOrderMarkAreRead() throws Exception {
    byte[] text = ("\ufeff" + GOOD.replace("\n", "\r\n")).getBytes(StandardCharsets.UTF_8);
    Path file = Files.write(folder.resolve("windows.yml"), text);
    assertThat(ConfigurationFile.load(file, Node.class).word().text()).isEqualTo("w");
  }
}
