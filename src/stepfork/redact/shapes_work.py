"""Shapes of the keys of work, customers, content, maps and devices."""

from __future__ import annotations

WORK_ROWS = (
    ("hubspot-token", "HubSpot", "pat-na1- pat-na2- pat-na3- pat-eu1- pat-ap1-", "{uuid}", "digit"),
    ("salesforce-token", "Salesforce", "00D", "{alnum 12-15}!{dotted 80-130}", "digit"),
    ("salesforce-refresh-token", "Salesforce", "5Aep861", "{dotted 60+}"),
    ("notion-token", "Notion", "ntn_ secret_", "{alnum 40+}", "digit"),
    ("linear-key", "Linear", "lin_api_ lin_oauth_ lin_wh_", "{alnum 32+}"),
    ("airtable-token", "Airtable", ".", "{hex 64}", "random", "pat{alnum 14}"),
    ("asana-token", "Asana", "/12", "{digit 13-15}[/{digit 15-17}]:{hex 32}", "random", "{digit 1}"),
    ("clickup-token", "ClickUp", "pk_", "{digit 5-12}_{upper 30-40}", "digit"),
    ("trello-token", "Trello", "ATTA", "{Hex 60+}"),
    ("close-key", "Close", "api_", "{alnum 20-24}.{alnum 20-24}", "digit"),
    ("harvest-token", "Harvest", ".pt.", "{word 60+}", "random", "{digit 5-9}"),
    ("calcom-key", "Cal.com", "cal_live_ cal_test_", "{hex 32+}"),
    ("typeform-token", "Typeform", "tfp_", "{padded 40+}"),
    ("tally-key", "Tally", "tly-", "{alnum 30+}", "digit"),
    ("contentful-token", "Contentful", "CFPAT-", "{word 40+}"),
    ("figma-token", "Figma", "figd_ figu_ figo_ figoh_", "{word 32+}"),
    ("canva-secret", "Canva", "cnvca", "{alnum 40+}"),
    ("frameio-token", "Frame.io", "fio-u-", "{padded 60+}"),
    ("dropbox-token", "Dropbox", "sl.", "{dotted 100+}"),
    ("adobe-client-secret", "Adobe", "p8e-", "{word 30-32}"),
    ("metabase-key", "Metabase", "mb_", "{base64 43}="),
    ("mapbox-token", "Mapbox", "sk.eyJ pk.eyJ tk.eyJ", "{dotted 60+}"),
    ("maxmind-license-key", "MaxMind", "_mmk", "", "random", "{alnum 6}_{alnum 29}"),
    ("samsara-token", "Samsara", "samsara_api_", "{alnum 28+}"),
    ("adafruit-key", "Adafruit IO", "aio_", "{alnum 28}"),
    ("ubidots-key", "Ubidots", "BBFF- BBUS-", "{alnum 30+}", "digit"),
)
"""Name of the rule, service, literals, form of what follows, what it must show, form of what leads."""
