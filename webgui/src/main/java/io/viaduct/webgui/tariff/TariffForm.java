package io.viaduct.webgui.tariff;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/// A tariff document as fields that people read and fill in. A document may be anything: what has
/// no field stays as it is, and a field of a missing value is empty.
///
/// @param classes the four classes of service
/// @param parts the parts beside the classes, each with a title
/// @param applications the applications with their references
public record TariffForm(List<OfClass> classes, List<Part> parts, List<Part> applications) {
  private static final List<String> CLASSES = List.of("LT_LD", "HT_LD", "LT_HD", "HT_HD");
  private static final List<String> TABLES = List.of("throughput-marginal", "delay-marginal");
  private static final List<String> NUMBERS =
      List.of(
          "weight",
          "reference-throughput",
          "reference-delay",
          "loss-slope",
          "kappa-throughput",
          "kappa-delay");

  /// Stands for the name of an application in [#pattern].
  public static final String NAME = "{0}";

  private static final String CLASS = "service-class";
  private static final List<String> POINTS = List.of("OFFERED", "MEASURED");

  /// A value.
  ///
  /// @param label key of its name
  /// @param name name of the field in the form: its path with slashes
  /// @param place its path with points, as billing names it
  /// @param value as text; empty if there is none
  /// @param options what may be chosen; empty for a number
  public record Field(
      String label, String name, String place, String value, List<String> options) {}

  /// A table of knots.
  ///
  /// @param key its key in the class
  public record Table(String key, String name, String place, List<Knot> knots) {}

  /// A knot of a table as text.
  public record Knot(String at, String value) {}

  /// A class of service.
  public record OfClass(String name, List<Field> fields, List<Table> tables) {}

  /// Fields that belong together.
  ///
  /// @param title key of the title, or the name of an application
  public record Part(String title, List<Field> fields) {}

  /// Reads a document.
  public static TariffForm of(JsonNode document) {
    List<OfClass> classes = CLASSES.stream().map(name -> ofClass(document, name)).toList();
    List<Part> parts =
        List.of(
            new Part(
                "fees",
                List.of(
                    number(document, "fees", "PER_MEGABYTE"),
                    number(document, "fees", "PER_MINUTE"),
                    number(document, "fees", "PER_CALL_SECOND"))),
            new Part(
                "caps",
                List.of(
                    number(document, "caps", "FLOW_INTERVAL"),
                    number(document, "caps", "APPLICATION_HOUR"),
                    number(document, "caps", "ACCOUNT_DAY"))),
            new Part(
                "refunds",
                List.of(
                    number(document, "refunds", "DELAY"),
                    number(document, "refunds", "THROUGHPUT"))),
            new Part(
                "discount",
                List.of(
                    choice(document, List.of("SAVED", "SERVED"), "discount", "base"),
                    number(document, "discount", "denarii-per-megabyte"),
                    number(document, "discount", "cap"),
                    choice(
                        document, List.of("USER", "SHARER", "SPLIT"), "discount", "beneficiary"))),
            new Part("provider-fee", List.of(number(document, "provider-fee"))),
            new Part("relay-share", List.of(number(document, "relay-share"))),
            new Part(
                "credit-failure",
                CLASSES.stream()
                    .map(name ->
                        choice(
                            document, List.of("", "CONTINUE", "TERMINATE"), "credit-failure", name))
                    .toList()));
    return new TariffForm(classes, parts, applications(document));
  }

  private static OfClass ofClass(JsonNode document, String name) {
    List<Field> fields = new ArrayList<>();
    NUMBERS.forEach(key -> fields.add(number(document, "classes", name, key)));
    fields.add(choice(document, POINTS, "classes", name, "point"));
    return new OfClass(
        name, List.copyOf(fields), TABLES.stream().map(key -> table(document, name, key)).toList());
  }

  private static Table table(JsonNode document, String className, String key) {
    List<Knot> knots = new ArrayList<>();
    for (JsonNode pair : document.path("classes").path(className).path(key)) {
      knots.add(new Knot(text(pair.path(0)), text(pair.path(1))));
    }
    return new Table(
        key,
        DraftDocument.name("classes", className, key),
        String.join(".", "classes", className, key),
        List.copyOf(knots));
  }

  private static List<Part> applications(JsonNode document) {
    List<Part> applications = new ArrayList<>();
    for (String name : document.path("applications").propertyNames()) {
      applications.add(application(document, name));
    }
    return List.copyOf(applications);
  }

  private static Part application(JsonNode document, String name) {
    return new Part(
        name,
        List.of(
            choice(document, CLASSES, "applications", name, CLASS),
            number(document, "applications", name, "reference-throughput"),
            number(document, "applications", name, "reference-delay")));
  }

  /// Returns the fields of an application that the script adds, with [#NAME] in place of its name.
  public static Part pattern() {
    return application(MissingNode.getInstance(), NAME);
  }

  /// Returns the fields of an application that is not there yet, apart from its name.
  public static List<Field> newApplication() {
    return pattern().fields().stream()
        .map(field ->
            new Field(
                field.label(),
                DraftDocument.ofNewApplication(field.label()),
                "",
                field.options().isEmpty() ? "0" : CLASSES.getFirst(),
                field.options()))
        .toList();
  }

  private static Field number(JsonNode document, String... path) {
    return choice(document, List.of(), path);
  }

  private static Field choice(JsonNode document, List<String> options, String... path) {
    JsonNode value = document;
    for (String key : path) {
      value = value.path(key);
    }
    return new Field(
        path[path.length - 1],
        DraftDocument.name(path),
        String.join(".", path),
        text(value),
        options);
  }

  private static String text(JsonNode value) {
    if (value.isMissingNode() || value.isNull()) {
      return "";
    }
    String text = value.isString() ? value.asString() : value.toString();
    return value.isNumber() && text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
  }
}
