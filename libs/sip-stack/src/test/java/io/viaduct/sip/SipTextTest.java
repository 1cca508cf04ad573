package io.viaduct.sip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SipTextTest {
  @Test
  void aUserThatIsEscapedWithoutNeedIsTheSameUser() {
    assertThat(SipUri.parse("sip:%61l%69ce%2D%7e@ims.test").user()).isEqualTo("alice-~");
    assertThat(SipUri.parse("sip:a%2bb%c3%a4%4@ims.test").user())
        .as("reserved characters and bytes of UTF-8 stay escaped")
        .isEqualTo("a%2Bb%C3%A4%4");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sip:alice@ims.test",
        "sip:ims.test",
        "sip:alice@10.0.0.1:5062;transport=tcp",
        "sip:alice@[2001:db8::1]:5062;lr;transport=udp"
      })
  void aUriIsWrittenAsItWasRead(String text) {
    assertThat(SipUri.parse(text)).hasToString(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tel:+41",
        "sip:",
        "sip:@h",
        "sip:a:pw@h",
        "sip:a@b@c",
        "sip:a@h?Route=x",
        "sip:a@h:99999",
        "sip:a@h:x",
        "sip:a b@h",
        "sip:a@h>",
        "sip:a@h;x=\"y\"",
        "sip:a@[",
        "sip:a@[]",
        "sip:a@[1.2.3.4]",
        "sip:a@[::1]b",
        "sip:a@h]",
        "sip:a@h/i",
        "sip:\u00e4@h"
      })
  void anyOtherUriIsRefused(String text) {
    assertThatThrownBy(() -> SipUri.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anAddressIsTakenApartWhateverItsDisplayNameHolds() {
    NameAddress address =
        NameAddress.parse("\"A <x>; \\\"q\\\"\" <sip:a@h;transport=tcp>;tag=7;q=0.5");
    assertThat(address.uri()).isEqualTo("sip:a@h;transport=tcp");
    assertThat(address.parameters())
        .containsExactlyInAnyOrderEntriesOf(Map.of("tag", "7", "q", "0.5"));
    assertThat(NameAddress.parse("sip:a@h;tag=9").tag())
        .as("without brackets parameters are the header's")
        .isEqualTo("9");
  }

  @Test
  void commasSeparateValuesOnlyOutsideQuotesAndBrackets() {
    assertThat(FieldText.split("<sip:a@h,x>;q=1, \"b, c\" <sip:b@h> , *", ','))
        .isEqualTo(List.of("<sip:a@h,x>;q=1", "\"b, c\" <sip:b@h>", "*"));
    assertThat(FieldText.parameters("a=1;=2;b;a=3", ';')).isEqualTo(Map.of("a", "1", "b", ""));
    assertThat(FieldText.unquote(FieldText.quote("a\"b\\c"))).isEqualTo("a\"b\\c");
  }

  @Test
  void aLineBreakCannotBePutIntoAHeader() {
    assertThatThrownBy(() -> SipHeaders.NONE.with("Subject", "x\r\nVia: y"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
