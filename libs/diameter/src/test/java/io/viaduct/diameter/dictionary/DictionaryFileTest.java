package io.viaduct.diameter.dictionary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DictionaryFileTest {
  @ParameterizedTest
  @CsvSource(
      nullValues = "null",
      value = {
        "Session-Id,263,0,UTF8String,SET",
        "Origin-Host,264,0,DiameterIdentity,SET",
        "Product-Name,269,0,UTF8String,CLEAR",
        "Redirect-Host,292,0,DiameterURI,SET",
        "Multiple-Services-Credit-Control,456,0,Grouped,SET",
        "Service-Information,873,10415,Grouped,SET",
        "IMS-Charging-Identifier,841,10415,UTF8String,SET",
        "Service-Data-Container,2040,10415,Grouped,SET",
      })
  void anAvpHasTheCodeTypeAndFlagOfItsStandard(
      String name, long code, long vendor, String type, MandatoryRule rule) {
    AvpDefinition avp = Dictionary.standard().avp(name);
    assertThat(avp.key()).isEqualTo(new AvpKey(code, vendor));
    assertThat(avp.type().text()).isEqualTo(type);
    assertThat(avp.mandatory()).isEqualTo(rule);
    assertThat(Dictionary.standard().find(avp.key())).isEqualTo(avp);
  }

  @Test
  void namedValuesAreThoseOfTheStandard() {
    Dictionary dictionary = Dictionary.standard();
    assertThat(dictionary.value("Accounting-Record-Type", "INTERIM_RECORD")).isEqualTo(3);
    assertThat(dictionary.value("Result-Code", "INVALID_AVP_LENGTH")).isEqualTo(5014);
    assertThat(dictionary.valueName("CC-Request-Type", 1)).contains("INITIAL_REQUEST");
    assertThat(dictionary.valueName("CC-Request-Type", 99)).isEmpty();
  }

  @Test
  void aCommandNamesTheAvpsThatItNeeds() {
    CommandDefinition accounting = Dictionary.standard().command(271);
    assertThat(accounting.requestNeeds())
        .extracting(AvpDefinition::name)
        .contains("Session-Id", "Accounting-Record-Number");
    assertThat(accounting.proxiable()).isTrue();
    assertThat(Dictionary.standard().command(280).proxiable()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "avp A 1 - Nothing M|line 1: unknown type Nothing",
        "avp A 1 - Time X|line 1: the flag is M, m or -, not X",
        "avp A 1 X Time M|line 1: unknown: X",
        "avp A 4294967296 - Time M|line 1: no code or vendor: 4294967296, 0",
        "avp A 1 - Time|line 1: avp has 5 fields, not 4",
        "thing|line 1: unknown entry thing",
        "request 1 A|line 1: unknown: 1",
        "command A 1 X|line 1: the flag of a command is P or -",
        "value A B 1|line 1: unknown: A",
      })
  void aWrongLineIsNamed(String line, String message) {
    assertThatThrownBy(() -> DictionaryFile.parse(line)).hasMessage(message);
  }

  @Test
  void anAvpMayNotStandTwice() {
    assertThatThrownBy(() -> DictionaryFile.parse("avp A 1 - Time M # first\n\navp B 1 - Time M\n"))
        .hasMessage("line 3: twice: 1");
  }
}
