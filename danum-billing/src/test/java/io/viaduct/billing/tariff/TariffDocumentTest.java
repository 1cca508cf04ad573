package io.viaduct.billing.tariff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.node.ObjectNode;

class TariffDocumentTest {
  private static final String INITIAL = TariffDocument.print(TariffDocument.initial());

  @Test
  void aTariffSurvivesWritingAndReadingBitForBit() {
    Tariff again = TariffDocument.parse(INITIAL);
    assertThat(TariffDocument.print(again)).isEqualTo(INITIAL);
    assertThat(again.of(ServiceClass.HT_HD).throughputMarginal().area())
        .isEqualTo(TariffDocument.initial().of(ServiceClass.HT_HD).throughputMarginal().area());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[0.0,1.6],[0.5,1.0] | [0.1,1.6],[0.5,1.0] | KNOTS_INCREASE | knot 0 (0.1) must be 0",
        "[0.5,1.0],[1.0,0.5] | [0.5,1.0],[0.5,0.5] | KNOTS_INCREASE | knot 2 (0.5) must be above 0.5",
        "[0.5,1.0],[1.0,0.5] | [0.5,1.0],[1.0,1.5] | NON_INCREASING | knot 2 (1.0) has the value 1.5",
        "[8.0,0.01],[16.0,0.0] | [8.0,0.01],[16.0,0.01] | LAST_VALUE_ZERO | knot 6 (16.0) must have the value 0",
        "[8.0,0.01],[16.0,0.0] | [8.0,-0.01],[16.0,0.0] | FINITE_NOT_NEGATIVE | knot 5 (8.0) must be finite",
        "[8.0,0.01],[16.0,0.0] | [8.0,1e999],[16.0,0.0] | FINITE_NOT_NEGATIVE | knot 5",
        "[8.0,0.01],[16.0,0.0] | [8.0],[16.0,0.0] | KNOT_COUNT | knot 5 must be [knot, value]",
        "'kappa-throughput\":1.0' | 'kappa-throughput\":0.0' | KAPPA_SIGN | kappa-throughput must be > 0",
        "'kappa-delay\":-0.05' | 'kappa-delay\":0.05' | KAPPA_SIGN | kappa-delay <= 0",
        "'weight\":0.4' | 'weight\":0.0' | POSITIVE | weight must be finite and > 0",
        "'weight\":0.4' | 'weight\":1e7' | POSITIVE | weight must be at most",
        "'reference-delay\":200.0' | 'reference-delay\":-1.0' | POSITIVE | reference-delay",
        "'loss-slope\":5.0' | 'loss-slope\":-5.0' | FINITE_NOT_NEGATIVE | loss-slope",
        "'cap\":0.3' | 'cap\":1.3' | FRACTION | cap must be between 0 and 1",
        "'denarii-per-megabyte\":0.5' | 'denarii-per-megabyte\":-0.5' | FINITE_NOT_NEGATIVE | denarii-per-megabyte",
        "'provider-fee\":0.1' | 'provider-fee\":-0.1' | FRACTION | provider-fee",
        "'HT_LD\":{\"weight' | 'XX\":{\"weight' | NOT_A_TARIFF | XX",
        "'\"ssh\"' | '\"SSH!\"' | NAME | applications",
        "'cap\":0.3' | 'cup\":0.3' | NOT_A_TARIFF | discount",
        "'SAVED' | 'STOLEN' | NOT_A_TARIFF | base",
        "'document-version\":2' | 'document-version\":3' | DOCUMENT_VERSION | from 1 to 2, got 3",
        "'document-version\":2' | 'document-version\":\"2\"' | DOCUMENT_VERSION | got STRING",
        "'\"document-version\":2,' | '' | DOCUMENT_VERSION | the key 'point' needs document-version: 2",
        "'PER_MINUTE\":' | 'PER_MINUTE\":-' | FINITE_NOT_NEGATIVE | fees.PER_MINUTE must be between 0",
        "'PER_MEGABYTE\":0.02' | 'PER_MEGABYTE\":101.0' | FINITE_NOT_NEGATIVE | fees.PER_MEGABYTE must be at most 100.0, got 101.0",
        "'ACCOUNT_DAY\":100.0' | 'ACCOUNT_DAY\":1e10' | FINITE_NOT_NEGATIVE | caps.ACCOUNT_DAY must be between",
        "'DELAY\":0.5' | 'DELAY\":1.5' | FRACTION | refunds.DELAY must be between 0 and 1",
        "'FLOW_INTERVAL' | 'FLOW' | NOT_A_TARIFF | caps",
        "'beneficiary\":\"USER' | 'beneficiary\":\"NOBODY' | NOT_A_TARIFF | discount.beneficiary",
        "'OFFERED' | 'WANTED' | NOT_A_TARIFF | classes.LT_LD.point",
        "',\"point\":\"OFFERED\"' | '' | NOT_A_TARIFF | classes.LT_LD.point"
      })
  void aTariffThatWouldBillWronglyIsRefusedWithKnotAndRule(
      String from, String to, TariffRule rule, String words) {
    assertThat(INITIAL).contains(from);
    assertThatThrownBy(() -> TariffDocument.parse(INITIAL.replace(from, to)))
        .isInstanceOfSatisfying(
            TariffRefusedException.class, e -> assertThat(e.rule()).isEqualTo(rule))
        .hasMessageContaining(words);
  }

  @Test
  void aDocumentFromBeforeVersionsIsReadWithTheMeaningThatItHad() {
    Tariff seed = SeedTariff.read();
    assertThat(SeedTariff.document()).doesNotContain("document-version", "point");
    assertThat(seed.classes().values())
        .extracting(ClassTariff::point)
        .containsOnly(OperatingPoint.MEASURED);
    assertThat(seed.discount().beneficiary()).isEqualTo(Beneficiary.USER);
    assertThat(seed.fees()).isEmpty();
    assertThat(seed.caps()).isEmpty();
    assertThat(seed.refunds()).isEmpty();
    assertThat(TariffDocument.print(seed)).contains("\"document-version\":2");
    assertThat(TariffDocument.parse(TariffDocument.print(seed)).classes().values())
        .extracting(ClassTariff::point)
        .containsOnly(OperatingPoint.MEASURED);
  }

  @Test
  void feesCapsAndRefundsMayBeLeftOut() {
    ObjectNode tree = TariffDocument.tree(TariffDocument.initial());
    tree.remove(List.of("fees", "caps", "refunds", "credit-failure"));
    Tariff bare = TariffDocument.parse(tree.toString());
    assertThat(bare.fee(AccessFee.PER_MINUTE)).isZero();
    assertThat(bare.caps()).isEmpty();
    assertThat(bare.refund(Promise.DELAY)).isZero();
  }

  @Test
  void theNamesOfEnumerationsMayBeWrittenInAnyCase() {
    Tariff lower = TariffDocument.parse(INITIAL.replace("OFFERED", "offered"));
    assertThat(TariffDocument.print(lower)).isEqualTo(INITIAL);
  }

  @Test
  void aTableOfOneKnotIsRefused() {
    assertThatThrownBy(() ->
            TariffDocument.parse(
                INITIAL.replace(
                    "[[0.0,0.0],[0.5,0.3],[1.0,1.0],[2.0,0.6],[5.0,0.0]]", "[[0.0,0.0]]")))
        .isInstanceOfSatisfying(
            TariffRefusedException.class,
            e -> assertThat(e.rule()).isEqualTo(TariffRule.KNOT_COUNT));
  }

  @Test
  void textThatIsNotJsonIsRefused() {
    assertThatThrownBy(() -> TariffDocument.parse("{"))
        .isInstanceOfSatisfying(
            TariffRefusedException.class,
            e -> assertThat(e.rule()).isEqualTo(TariffRule.NOT_A_TARIFF));
  }
}
