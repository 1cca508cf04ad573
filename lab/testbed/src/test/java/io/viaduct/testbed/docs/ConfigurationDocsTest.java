package io.viaduct.testbed.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.docs.Documents.Line;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/// Every configuration key that a document names is one of the records that services read.
class ConfigurationDocsTest {
  private static final Pattern DOTTED =
      Pattern.compile("[a-z][a-z0-9-]*(\\[])?(\\.[a-z][a-z0-9-]*(\\[])?)+");
  private static final Pattern HYPHENATED = Pattern.compile("[a-z]+[0-9]*(-[a-z0-9]+)+");
  private static final Pattern KEY = Pattern.compile("[a-z][a-z0-9-]*(\\.[a-z0-9-]+)*");
  private static final Pattern MAPPING =
      Pattern.compile("\\{?\\s*[a-z][a-z0-9-]*(\\.[a-z-]+)*:( .*|$)", Pattern.DOTALL);
  private static final Pattern FILE_NAME =
      Pattern.compile(".*\\.(c|csv|js|jsonl|pem|properties|proto|sh|xml|yml)");
  private static final YAMLMapper YAML = new YAMLMapper();

  private static DeclaredKeys declared;
  private static SourceTexts sources;
  private final List<String> wrong = new ArrayList<>();
  private int looked;

  @BeforeAll
  static void readRecords() throws ClassNotFoundException {
    declared = DeclaredKeys.ofAllFiles();
    sources = SourceTexts.ofAllModules();
  }

  @Test
  void dottedKeysOfTheDocsAreWholePathsOfAConfiguration() {
    for (Line line : Documents.lines()) {
      for (String span : line.spans()) {
        if (DOTTED.matcher(span).matches()
            && !FILE_NAME.matcher(span).matches()
            && !sources.havePackage(span)) {
          looked++;
          if (!declared.hasPath(span)) {
            wrong.add(unknown(line, span));
          }
        }
      }
    }
    assertThat(looked).isGreaterThan(100);
    assertThat(wrong).isEmpty();
  }

  @Test
  void hyphenatedNamesOfTheDocsAreKeysOrStandInTheSources() {
    for (Line line : Documents.lines()) {
      for (String span : line.spans()) {
        if (HYPHENATED.matcher(span).matches()) {
          looked++;
          if (!declared.hasEnd(span) && !sources.haveName(span)) {
            wrong.add(unknown(line, span));
          }
        }
      }
    }
    assertThat(looked).isGreaterThan(100);
    assertThat(wrong).isEmpty();
  }

  @Test
  void tablesOfKeysListKeysThatExist() {
    boolean ofKeys = false;
    for (Line line : Documents.lines()) {
      ofKeys = line.text().startsWith("| key |") || (ofKeys && line.text().startsWith("|"));
      for (String span : ofKeys ? line.spansOfCell(1) : List.<String>of()) {
        String key = span.replaceAll(":( .*)?$", "");
        looked++;
        if (!KEY.matcher(key).matches() || !declared.hasEnd(key)) {
          wrong.add(unknown(line, key));
        }
      }
    }
    assertThat(looked).isGreaterThan(60);
    assertThat(wrong).isEmpty();
  }

  @Test
  void piecesOfYamlHaveKeysThatStandTogether() {
    for (Line line : Documents.lines()) {
      for (String span : line.spans()) {
        if (MAPPING.matcher(span).matches()) {
          piece(line, span);
        }
      }
    }
    for (List<Line> block : Documents.blocks()) {
      String text = block.stream().map(Line::text).collect(Collectors.joining("\n"));
      if (MAPPING.matcher(text).matches()) {
        piece(block.getFirst(), text);
      }
    }
    assertThat(looked).isGreaterThan(20);
    assertThat(wrong).isEmpty();
  }

  private void piece(Line line, String text) {
    looked++;
    try {
      JsonNode tree = YAML.readTree(text.replace("...", ""));
      if (!declared.hasPiece(tree)) {
        String keys = String.join(", ", tree.propertyNames());
        wrong.add(
            "%s: no configuration has these keys in one place: %s; declared near it: %s"
                .formatted(line.where(), text, declared.near(keys)));
      }
    } catch (JacksonException e) {
      wrong.add(line.where() + ": is not YAML: " + text);
    }
  }

  private static String unknown(Line line, String key) {
    return "%s: no configuration has the key '%s'; declared near it: %s"
        .formatted(line.where(), key, declared.near(key));
  }
}
