package io.viaduct.denarii;

import io.viaduct.denarii.api.BillingApi;
import io.viaduct.denarii.api.Pages;
import io.viaduct.denarii.document.DocumentDifference;
import io.viaduct.denarii.document.TariffFile;
import io.viaduct.denarii.text.Period;
import io.viaduct.denarii.text.Quantity;
import io.viaduct.denarii.text.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// Shows and stores tariffs. A stored version stays for ever; a change is a new version.
@Command(
    name = "tariff",
    description = "Show, compare, check and publish tariffs.",
    mixinStandardHelpOptions = true,
    subcommands = {
      TariffCommand.ListVersions.class,
      TariffCommand.Show.class,
      TariffCommand.Diff.class,
      TariffCommand.Check.class,
      TariffCommand.Publish.class,
      TariffCommand.Schedule.class,
      TariffCommand.RollBack.class
    },
    footer = {"", "Example:", "  denarii tariff list"})
final class TariffCommand extends CommandGroup {
  private static List<JsonNode> versions(BillingApi billing) {
    return Pages.of(billing, "/tariffs", Map.of(), "tariffs").toList();
  }

  private static JsonNode version(List<JsonNode> versions, String number) {
    for (JsonNode version : versions) {
      if (Integer.toString(version.path("version").asInt()).equals(number)) {
        return version;
      }
    }
    throw new IllegalArgumentException(
        "VERSION must be 1 to %d, got '%s'".formatted(versions.size(), number));
  }

  /// Lists the versions.
  @Command(
      name = "list",
      description = "List all versions, and say which one is in force.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii tariff list"})
  static final class ListVersions extends ReadingCall {
    @Override
    int run() throws IOException {
      List<JsonNode> versions = versions(billing());
      if (isJson()) {
        ObjectNode all = JsonMapper.shared().createObjectNode();
        versions.stream()
            .filter(version -> version.path("state").asString().equals("in-force"))
            .forEach(version -> all.put("inForce", version.path("version").asInt()));
        all.putArray("tariffs").addAll(versions);
        json(all);
        return 0;
      }
      Table table = new Table(">VERSION", "EFFECTIVE FROM", "BY", "STATE");
      for (JsonNode version : versions) {
        table.row(
            version.path("version").asString(),
            Quantity.time(version.path("effectiveFrom").asString(), zone()),
            version.path("createdBy").asString(),
            version.path("state").asString().replace('-', ' '));
      }
      table.print(out());
      return 0;
    }
  }

  /// Prints a version.
  @Command(
      name = "show",
      description = "Print the document of a version as YAML.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii tariff show 3"})
  static final class Show extends ReadingCall {
    @Parameters(arity = "0..1", paramLabel = "VERSION", description = "default: the one in force")
    private @Nullable String number;

    @Override
    int run() throws IOException {
      BillingApi billing = billing();
      JsonNode version =
          number == null ? billing.get("/tariffs/current") : version(versions(billing), number);
      if (isJson()) {
        json(version);
      } else {
        out()
            .printf(
                "# version %d, effective from %s, by %s%n",
                version.path("version").asInt(),
                Quantity.time(version.path("effectiveFrom").asString(), zone()),
                version.path("createdBy").asString());
        out().print(TariffFile.text(version.path("tariff")));
        out().flush();
      }
      return 0;
    }
  }

  /// Compares two documents.
  @Command(
      name = "diff",
      description = "Print the values that differ between two versions or files.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii tariff diff 3 draft.yml"})
  static final class Diff extends ReadingCall {
    @Parameters(index = "0", paramLabel = "BEFORE", description = "number of a version, or a file")
    private String before = "";

    @Parameters(index = "1", paramLabel = "AFTER", description = "number of a version, or a file")
    private String after = "";

    @Override
    int run() throws IOException {
      List<DocumentDifference.Change> changes =
          DocumentDifference.of(document(before), document(after));
      if (isJson()) {
        json(JsonMapper.shared().valueToTree(Map.of("changes", changes)));
      } else if (changes.isEmpty()) {
        out().println("no value differs");
      } else {
        Table table = new Table("VALUE", ">BEFORE", ">AFTER");
        changes.forEach(c -> table.row(c.path(), shown(c.before()), shown(c.after())));
        table.print(out());
      }
      return 0;
    }

    private static String shown(@Nullable String value) {
      return value == null ? "-" : value;
    }

    // A file is read as billing reads it, so that left-out keys have their defaults.
    private JsonNode document(String named) throws IOException {
      return named.matches("[0-9]+")
          ? version(versions(billing()), named).path("tariff")
          : checked(billing(), TariffFile.read(Path.of(named)));
    }
  }

  private static JsonNode checked(BillingApi billing, ObjectNode document) throws IOException {
    return billing
        .send("POST", "/tariffs/check", Map.of("tariff", document), Map.of())
        .body()
        .path("tariff");
  }

  /// Checks a document.
  @Command(
      name = "check",
      description = "Check a document by billing's rules; a refusal names knot and rule.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii tariff check draft.yml"})
  static final class Check extends ReadingCall {
    @Parameters(paramLabel = "FILE", description = "YAML or JSON")
    private Path file = Path.of("");

    @Override
    int run() throws IOException {
      JsonNode document = checked(billing(), TariffFile.read(file));
      if (isJson()) {
        json(document);
      } else {
        out().printf("%s is a tariff that billing accepts%n", file);
      }
      return 0;
    }
  }

  /// A command that stores a version.
  abstract static class Storing extends ReadingCall {
    @Option(
        names = "--if-latest",
        paramLabel = "VERSION",
        description =
            "store only if no version after this one has been stored meanwhile; default: the latest one when the command starts")
    private @Nullable Integer latest;

    int store(BillingApi billing, JsonNode document, String at) throws IOException {
      Map<String, Object> body = new LinkedHashMap<>();
      body.put("tariff", document);
      if (!at.isEmpty()) {
        body.put("effectiveFrom", at);
      }
      JsonNode stored =
          billing
              .send(
                  "POST",
                  "/tariffs",
                  body,
                  Map.of("If-Match", latest == null ? tag(billing) : "\"" + latest + "\""))
              .body();
      if (isJson()) {
        json(stored);
      } else {
        out()
            .printf(
                "stored version %d, effective from %s%n",
                stored.path("version").asInt(),
                Quantity.time(stored.path("effectiveFrom").asString(), zone()));
      }
      return 0;
    }
  }

  private static String tag(BillingApi billing) throws IOException {
    String tag = billing.send("GET", "/tariffs?limit=1", null, Map.of()).version();
    if (tag == null) {
      throw new IOException("billing's list of tariffs has no ETag: is a proxy in between?");
    }
    return tag;
  }

  /// Publishes a document at once.
  @Command(
      name = "publish",
      description = "Store a document as a new version, in force at once. As an operator.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii tariff publish draft.yml --if-latest 3"})
  static final class Publish extends Storing {
    @Parameters(paramLabel = "FILE", description = "YAML or JSON")
    private Path file = Path.of("");

    @Override
    int run() throws IOException {
      return store(billing(), TariffFile.read(file), "");
    }
  }

  /// Publishes a document at a later time.
  @Command(
      name = "schedule",
      description = "Store a document as a new version, in force from a time on. As an operator.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii tariff schedule draft.yml --at 2027-01-01"})
  static final class Schedule extends Storing {
    @Parameters(paramLabel = "FILE", description = "YAML or JSON")
    private Path file = Path.of("");

    @Option(
        names = "--at",
        paramLabel = "TIME",
        required = true,
        description = "2027-01-01, 2027-01-01T03:00 or RFC 3339")
    private String at = "";

    @Override
    int run() throws IOException {
      return store(billing(), TariffFile.read(file), Period.instant("--at", at, zone()));
    }
  }

  /// Publishes an earlier version again.
  @Command(
      name = "rollback",
      description =
          "Store the document of an earlier version as a new version, in force at once. As an operator.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii tariff rollback 2"})
  static final class RollBack extends Storing {
    @Parameters(paramLabel = "VERSION", description = "version to go back to")
    private String number = "";

    @Override
    int run() throws IOException {
      BillingApi billing = billing();
      return store(billing, version(versions(billing), number).path("tariff"), "");
    }
  }
}
