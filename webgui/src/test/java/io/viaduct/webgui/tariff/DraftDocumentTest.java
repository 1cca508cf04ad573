package io.viaduct.webgui.tariff;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.OperatorPeer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class DraftDocumentTest {
  private static final JsonNode DOCUMENT = OperatorPeer.document();
  private static final String TABLE = "/classes/LT_LD/throughput-marginal";

  /// The fields of a form as a browser sends them: those of every field, and a row without values.
  private static Map<String, String> fields(JsonNode document) {
    Map<String, String> fields = new LinkedHashMap<>();
    TariffForm form = TariffForm.of(document);
    for (TariffForm.OfClass each : form.classes()) {
      each.fields().forEach(field -> fields.put(field.name(), field.value()));
      for (TariffForm.Table table : each.tables()) {
        for (int i = 0; i < table.knots().size(); i++) {
          fields.put(table.name() + "/" + i + "/0", table.knots().get(i).at());
          fields.put(table.name() + "/" + i + "/1", table.knots().get(i).value());
        }
        fields.put(table.name() + "/new/0", "");
        fields.put(table.name() + "/new/1", "");
      }
    }
    for (List<TariffForm.Part> parts : List.of(form.parts(), form.applications())) {
      parts.forEach(
          part -> part.fields().forEach(field -> fields.put(field.name(), field.value())));
    }
    return fields;
  }

  private static JsonNode with(String... changes) {
    Map<String, String> fields = fields(DOCUMENT);
    for (int i = 0; i < changes.length; i += 2) {
      fields.put(changes[i], changes[i + 1]);
    }
    return DraftDocument.with(DOCUMENT, fields);
  }

  private static String numbers(JsonNode document) {
    // 1.0 and 1 are the same number.
    return JsonMapper.shared().writeValueAsString(document).replaceAll("\\.0(?=[,\\]}])", "");
  }

  @Test
  void aFormThatNobodyChangedIsTheSameDocument() {
    assertThat(numbers(with())).isEqualTo(numbers(DOCUMENT));
  }

  @Test
  void aFieldReplacesItsValueAndWhatIsNoNumberStaysAsItWasTyped() {
    assertThat(with("t/classes/HT_LD/weight", " 2.5 ").at("/classes/HT_LD/weight").asDouble())
        .isEqualTo(2.5);
    JsonNode odd = with("t/classes/HT_LD/weight", "1,5").at("/classes/HT_LD/weight");
    assertThat(odd.isString()).isTrue();
    assertThat(odd.asString()).isEqualTo("1,5");
    assertThat(TariffForm.of(with("t/classes/HT_LD/weight", "1,5")).classes().get(1).fields())
        .anyMatch(field -> field.value().equals("1,5"));
    assertThat(with("t/discount/base", "SERVED").at("/discount/base").asString())
        .isEqualTo("SERVED");
  }

  @Test
  void anAmountThatMayBeLeftOutIsTakenAwayByAnEmptyField() {
    JsonNode changed = with("t/caps/ACCOUNT_DAY", "", "t/credit-failure/LT_LD", "");
    assertThat(changed.at("/caps").has("ACCOUNT_DAY")).isFalse();
    assertThat(changed.at("/caps").has("APPLICATION_HOUR")).isTrue();
    assertThat(changed.at("/credit-failure").has("LT_LD")).isFalse();
    JsonNode without = with("t/classes/LT_LD/weight", "");
    assertThat(without.at("/classes/LT_LD/weight").asString()).isEmpty();
  }

  @Test
  void aKnotIsMovedTakenAwayAndAddedAtItsPlace() {
    String table = "t" + TABLE;
    assertThat(with(table + "/2/0", "1.25", table + "/2/1", "0.45").at(TABLE).get(2).toString())
        .isEqualTo("[1.25,0.45]");
    JsonNode fewer = with(table + "/2/0", "", table + "/2/1", "").at(TABLE);
    assertThat(fewer.size()).isEqualTo(DOCUMENT.at(TABLE).size() - 1);
    assertThat(fewer.get(2).get(0).asDouble()).isEqualTo(2.0);
    JsonNode more = with(table + "/new/0", "1.5", table + "/new/1", "0.3").at(TABLE);
    assertThat(more.size()).isEqualTo(DOCUMENT.at(TABLE).size() + 1);
    assertThat(more.get(3).toString()).isEqualTo("[1.5,0.3]");
    JsonNode odd = with(table + "/new/0", "x", table + "/new/1", "0.3").at(TABLE);
    assertThat(odd.get(odd.size() - 1).toString()).isEqualTo("[\"x\",0.3]");
  }

  @Test
  void aDocumentThatIsNoTariffHasEmptyFieldsAndIsFilled() {
    JsonNode nothing = JsonMapper.shared().readTree("{\"classes\":\"not yet\",\"kept\":[1]}");
    TariffForm form = TariffForm.of(nothing);
    assertThat(form.classes()).hasSize(4);
    assertThat(form.classes().getFirst().tables().getFirst().knots()).isEmpty();
    JsonNode filled = DraftDocument.with(nothing, Map.of("t/classes/LT_LD/weight", "1"));
    assertThat(filled.at("/classes/LT_LD/weight").asInt()).isEqualTo(1);
    assertThat(filled.at("/kept/0").asInt()).isEqualTo(1);
  }

  @Test
  void fieldsOfOtherFormsAreNotWritten() {
    JsonNode same =
        DraftDocument.with(DOCUMENT, Map.of("tag", "1", "_csrf", "x", "name", "n", "t", "y"));
    assertThat(same).isEqualTo(DOCUMENT);
  }

  @Test
  void anApplicationIsAddedUnlessItsNameIsThereAndAnotherTakenAway() {
    String[] web = {
      "application", " web-conference ",
      "application/service-class", "HT_LD",
      "application/reference-throughput", "0",
      "application/reference-delay", "150",
      "without/ssh", "on"
    };
    JsonNode applications = with(web).get("applications");
    assertThat(applications.at("/web-conference/service-class").asString()).isEqualTo("HT_LD");
    assertThat(applications.at("/web-conference/reference-delay").asInt()).isEqualTo(150);
    assertThat(applications.has("ssh")).isFalse();
    assertThat(applications.size()).isEqualTo(DOCUMENT.get("applications").size());
    web[1] = "dns";
    assertThat(numbers(with(web).at("/applications/dns")))
        .isEqualTo(numbers(DOCUMENT.at("/applications/dns")));
    assertThat(DraftDocument.addsTwice(DOCUMENT, Map.of("application", "dns"))).isTrue();
  }
}
