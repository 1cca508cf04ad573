package io.viaduct.billing.diameter;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.diameter.dictionary.Dictionary;
import io.viaduct.diameter.message.AvpBuilder;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SubscriberAddressesTest {
  private final SubscriberAddresses addresses = new SubscriberAddresses("ims.test");

  private List<String> of(String type, String data) {
    return addresses.of(
        new AvpBuilder(Dictionary.standard())
            .group(
                "Subscription-Id",
                group -> group.add("Subscription-Id-Type", type).add("Subscription-Id-Data", data))
            .build());
  }

  @ParameterizedTest
  @CsvSource({
    "END_USER_SIP_URI, sip:alice@ims.test, alice",
    "END_USER_SIP_URI, sips:alice@IMS.test:5061;transport=tcp, alice",
    "END_USER_SIP_URI, sip:+41791234567@ims.test;user=phone, +41791234567",
    "END_USER_SIP_URI, tel:+41791234567, +41791234567",
    "END_USER_E164, 41791234567, +41791234567",
    "END_USER_NAI, alice@ims.test, alice",
    "END_USER_PRIVATE, alice@ims.test, alice"
  })
  void anAddressOfTheHomeDomainNamesItsUser(String type, String data, String user) {
    assertThat(of(type, data)).containsExactly(user);
  }

  @ParameterizedTest
  @CsvSource({
    "END_USER_SIP_URI, sip:alice@elsewhere.test",
    "END_USER_SIP_URI, sip:alice@ims.test@elsewhere.test",
    "END_USER_SIP_URI, sip:a%6cice@ims.test",
    "END_USER_SIP_URI, alice",
    "END_USER_IMSI, 001010123456789",
    "END_USER_E164, +41 79"
  })
  void otherAddressesNameNobody(String type, String data) {
    assertThat(of(type, data)).isEmpty();
  }

  @Test
  void theUserNameCountsAfterTheSubscription() {
    assertThat(
            addresses.of(
                new AvpBuilder(Dictionary.standard())
                    .add("User-Name", "sip:bob@ims.test")
                    .group(
                        "Subscription-Id",
                        group ->
                            group
                                .add("Subscription-Id-Type", "END_USER_SIP_URI")
                                .add("Subscription-Id-Data", "sip:alice@ims.test"))
                    .build()))
        .containsExactly("alice", "bob");
  }
}
