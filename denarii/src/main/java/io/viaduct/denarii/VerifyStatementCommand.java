package io.viaduct.denarii;

import com.google.protobuf.ByteString;
import io.viaduct.denarii.statement.Finding;
import io.viaduct.denarii.statement.PublishedRoots;
import io.viaduct.denarii.statement.Rule;
import io.viaduct.denarii.statement.StatementCheck;
import io.viaduct.denarii.text.Amount;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.Base64;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// Verifies a signed statement.
@Command(
    name = "verify-statement",
    description = {
      "Check a signed statement without billing: that no receipt is missing, changed or moved, what"
          + " the SNAPTs have signed, and that published roots cover it. Exit code 1 names each line"
          + " that breaks a rule; 65 a file that is no statement. Without --billing-key, or a root"
          + " of your own that covers the last receipt, the last line names the key to compare:"
          + " somebody else may have made the file with another one."
    },
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "Example:",
      "  denarii verify-statement november.jsonl --root 2026-11-26=4c1f..."
    })
final class VerifyStatementCommand implements Callable<Integer> {
  private static final JsonMapper INDENTED =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  @Parameters(paramLabel = "FILE", description = "made by 'denarii statement --signed'")
  private Path file = Path.of("");

  @Option(
      names = "--root",
      paramLabel = "DAY=HEX",
      description = "a published root that the file must have; may be repeated")
  private Map<LocalDate, String> roots = Map.of();

  @Option(
      names = "--roots",
      paramLabel = "FILE",
      description =
          "published roots that you have kept: a file or directory as billing publishes them; those"
              + " of the days from the file's first root on must be in it")
  private @Nullable Path keptRoots;

  @Option(
      names = "--billing-key",
      paramLabel = "BASE64",
      description = "billing's public key; no other may have signed (default: those of the file)")
  private List<String> billingKeys = List.of();

  @Option(
      names = "--snapt-key",
      paramLabel = "BASE64",
      description = "a SNAPT's public key; no other may have signed (default: those of the file)")
  private List<String> snaptKeys = List.of();

  @Option(names = "--json", description = "print JSON with stable keys; amounts in micro-denarii")
  private boolean json;

  @Spec private @Nullable CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    TreeMap<LocalDate, ByteString> known = new TreeMap<>();
    roots.forEach((day, hex) -> known.put(day, PublishedRoots.root(hex)));
    StatementCheck.Known given =
        new StatementCheck.Known(
            known,
            keptRoots == null ? Map.of() : PublishedRoots.read(keptRoots),
            keys("--billing-key", billingKeys),
            keys("--snapt-key", snaptKeys));
    StatementCheck.Result result;
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
      result = StatementCheck.of(in, given);
    }
    if (result.lines() == 0) {
      throw new ForeignFileException(
          "%s is no signed statement (rule %s: the first line must be that of a statement): save one with 'denarii statement --signed --out FILE', and check that file"
              .formatted(file, Rule.FORMAT));
    }
    PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
    if (json) {
      out.println(INDENTED.writeValueAsString(json(result)));
    } else {
      print(result, out);
    }
    return result.holds() ? 0 : DenariiCommand.BROKEN;
  }

  private static Set<ByteString> keys(String option, List<String> texts) {
    Set<ByteString> keys = new HashSet<>();
    for (String text : texts) {
      try {
        keys.add(ByteString.copyFrom(Base64.getDecoder().decode(text)));
      } catch (IllegalArgumentException _) {
        throw new IllegalArgumentException(option + " must be base64, got '" + text + "'");
      }
    }
    return keys;
  }

  private static void print(StatementCheck.Result result, PrintWriter out) {
    out.printf(
        "account     %s%n",
        result.account().isEmpty() ? "unknown: see the first line" : result.account());
    if (result.receipts() > 0) {
      out.printf(
          "receipts    %d, numbers %d to %d%nbalance     %s%n",
          result.receipts(),
          result.first(),
          result.last(),
          Amount.exact(Long.toString(result.balance())));
    } else {
      out.printf("receipts    none%n");
    }
    if (result.roots().isEmpty()) {
      out.printf("roots       none: a root is published after the end of each day (UTC)%n");
    } else {
      out.printf(
          "roots       %d; they cover the receipts until %d. The last one, to compare:%n            %s %s%n",
          result.roots().size(),
          result.covered(),
          result.roots().lastKey(),
          hex(result.roots().lastEntry().getValue()));
    }
    result.billingKeys().forEach(key -> out.printf("signed by   billing, key %s%n", base64(key)));
    result
        .snaptKeys()
        .forEach((snapt, keys) ->
            keys.forEach(key -> out.printf("signed by   SNAPT %s, key %s%n", snapt, base64(key))));
    out.printf(
        "reports     %d signed by their SNAPT, %d by a device, too%n",
        result.countersigned(), result.byDevices());
    if (result.ofDevices() > 0) {
      out.printf(
          "            %d of a device alone: the SNAPT has not reported%n", result.ofDevices());
    }
    if (result.withoutKey() > 0) {
      out.printf(
          "            %d of SNAPTs whose keys billing does not know%n", result.withoutKey());
    }
    if (result.notKept() > 0) {
      out.printf(
          "            %d reports or bills that billing does not keep, or not show%n",
          result.notKept());
    }
    for (Finding finding : result.findings()) {
      out.printf(
          "BROKEN      %s%s: %s%n",
          finding.line() == 0 ? "" : "line " + finding.line() + ", ",
          finding.rule(),
          finding.detail());
    }
    out.println(verdict(result));
  }

  // A person who has a file can make all of it again, with a key of their own.
  private static String verdict(StatementCheck.Result result) {
    if (!result.holds()) {
      return "The statement is broken.";
    }
    if (result.isPinned()) {
      return "ok          every rule holds";
    }
    List<String> keys =
        result.billingKeys().stream().map(VerifyStatementCommand::base64).sorted().toList();
    return keys.size() == 1
        ? "ok, if this is your operator's key: " + keys.getFirst()
        : "ok, if these are your operator's keys: " + String.join(", ", keys);
  }

  private static ObjectNode json(StatementCheck.Result result) {
    ObjectNode json = INDENTED.createObjectNode();
    json.put("holds", result.holds());
    json.put("pinned", result.isPinned());
    json.put("account", result.account());
    json.put("receipts", result.receipts());
    json.put("first", result.first());
    json.put("last", result.last());
    json.put("balanceMicrodenarii", Long.toString(result.balance()));
    json.put("covered", result.covered());
    ObjectNode days = json.putObject("roots");
    result.roots().forEach((day, root) -> days.put(day.toString(), hex(root)));
    json.put("countersigned", result.countersigned());
    json.put("withoutKey", result.withoutKey());
    json.put("byDevices", result.byDevices());
    json.put("ofDevices", result.ofDevices());
    json.put("notKept", result.notKept());
    json.set(
        "billingKeys",
        INDENTED.valueToTree(
            result.billingKeys().stream().map(VerifyStatementCommand::base64).sorted().toList()));
    json.set(
        "snaptKeys",
        INDENTED.valueToTree(
            result.snaptKeys().entrySet().stream()
                .collect(
                    Collectors.toMap(
                        Map.Entry::getKey,
                        each ->
                            each.getValue().stream().map(VerifyStatementCommand::base64).toList(),
                        (a, _) -> a,
                        TreeMap::new))));
    json.set("findings", INDENTED.valueToTree(result.findings()));
    return json;
  }

  private static String hex(ByteString octets) {
    return HexFormat.of().formatHex(octets.toByteArray());
  }

  private static String base64(ByteString octets) {
    return Base64.getEncoder().encodeToString(octets.toByteArray());
  }
}
