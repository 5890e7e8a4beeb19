// What the demo workspace answers, for the OpenAPI document: npm run schema writes it, test/contract/recordedExamples.test.ts compares.
export const recordedExamples: Record<string, { request: unknown; response: unknown }> = {
  "reopenGoal": {
    "request": {
      "id": "goal-launch-mobile-app",
      "message": "We are not done yet",
      "send_notifications_to_everyone": true,
      "subscriber_ids": [
        "person-jonas-weber"
      ]
    },
    "response": {
      "goal": {
        "id": "goal-launch-mobile-app",
        "name": "Launch the mobile app",
        "description": "{\"type\":\"doc\",\"content\":[{\"type\":\"paragraph\",\"content\":[{\"type\":\"text\",\"text\":\"Readers find their club, their next book and their shop in one app. \"},{\"type\":\"mention\",\"attrs\":{\"id\":\"person-tomas-okafor\",\"label\":\"Tomás Okafor\"}},{\"type\":\"text\",\"text\":\" owns the launch.\"}]},{\"type\":\"bulletList\",\"content\":[{\"type\":\"listItem\",\"content\":[{\"type\":\"paragraph\",\"content\":[{\"type\":\"text\",\"text\":\"iOS and Android on the same day\"}]}]},{\"type\":\"listItem\",\"content\":[{\"type\":\"paragraph\",\"content\":[{\"type\":\"text\",\"text\":\"Reserve in the app, pick up in the shop\"}]}]}]}]}",
        "access_levels": {
          "public": 10,
          "company": 10,
          "space": 70
        },
        "archived_at": null,
        "champion": {
          "id": "person-tomas-okafor",
          "full_name": "Tomás Okafor",
          "title": "Head of Digital",
          "email": "tomas.okafor@example.com",
          "avatar_url": "https://avatars.example.com/tomas-okafor.png",
          "type": "human"
        },
        "reviewer": {
          "id": "person-jonas-weber",
          "full_name": "Jonas Weber",
          "title": "Head of Stores",
          "email": "jonas.weber@example.com",
          "avatar_url": "https://avatars.example.com/jonas-weber.png",
          "type": "human"
        },
        "closed_at": null,
        "closed_by": null,
        "inserted_at": "2026-01-12T09:00:00.000Z",
        "updated_at": "2026-06-15T12:00:00.000Z",
        "is_archived": false,
        "is_closed": false,
        "is_outdated": false,
        "last_check_in_id": "check-in-launch-2",
        "my_role": "champion",
        "next_update_scheduled_at": "2099-12-31T09:00:00.000Z",
        "parent_goal_id": "goal-reading-community",
        "permissions": {
          "can_view": true,
          "can_comment": true,
          "can_edit": true,
          "has_full_access": true
        },
        "privacy": "public",
        "progress_percentage": 84,
        "status": "on_track",
        "success": null,
        "timeframe": {
          "contextual_start_date": {
            "date_type": "day",
            "value": "12 Jan 2026",
            "date": "2026-01-12"
          },
          "contextual_end_date": {
            "date_type": "quarter",
            "value": "Q1 2026",
            "date": "2026-03-31"
          }
        },
        "checklist": [
          {
            "id": "check-launch-beta",
            "name": "Beta with forty regulars",
            "completed": true,
            "index": 0,
            "inserted_at": "2026-01-12T09:00:00.000Z",
            "updated_at": "2026-02-13T16:00:00.000Z"
          },
          {
            "id": "check-launch-stores",
            "name": "Approved in both app stores",
            "completed": true,
            "index": 1,
            "inserted_at": "2026-01-12T09:00:00.000Z",
            "updated_at": "2026-03-06T11:20:00.000Z"
          }
        ],
        "last_check_in": {
          "id": "check-in-launch-2",
          "status": "on_track",
          "message": "{\"type\":\"doc\",\"content\":[{\"type\":\"paragraph\",\"content\":[{\"type\":\"text\",\"text\":\"Live in both stores since Tuesday. Thanks to \"},{\"type\":\"mention\",\"attrs\":{\"id\":\"person-ines-moreau\",\"label\":\"Inês Moreau\"}},{\"type\":\"text\",\"text\":\" for the night shift.\"}]},{\"type\":\"bulletList\",\"content\":[{\"type\":\"listItem\",\"content\":[{\"type\":\"paragraph\",\"content\":[{\"type\":\"text\",\"text\":\"9,200 installs in three days\"}]}]},{\"type\":\"listItem\",\"content\":[{\"type\":\"paragraph\",\"content\":[{\"type\":\"text\",\"text\":\"Vouchers move to the next release\"}]}]}]}]}",
          "inserted_at": "2026-03-13T15:00:00.000Z",
          "author": {
            "id": "person-tomas-okafor",
            "full_name": "Tomás Okafor",
            "title": "Head of Digital",
            "email": "tomas.okafor@example.com",
            "avatar_url": "https://avatars.example.com/tomas-okafor.png",
            "type": "human"
          },
          "acknowledged": true,
          "acknowledged_at": "2026-03-13T18:05:00.000Z",
          "acknowledging_person": {
            "id": "person-jonas-weber",
            "full_name": "Jonas Weber",
            "title": "Head of Stores",
            "email": "jonas.weber@example.com",
            "avatar_url": "https://avatars.example.com/jonas-weber.png",
            "type": "human"
          },
          "comments_count": 2,
          "reactions": [
            {
              "id": "reaction-launch-2-mara",
              "emoji": "🎉",
              "person": {
                "id": "person-mara-lindqvist",
                "full_name": "Mara Lindqvist",
                "title": "Managing Director",
                "email": "mara.lindqvist@example.com",
                "avatar_url": "https://avatars.example.com/mara-lindqvist.png",
                "type": "human"
              }
            },
            {
              "id": "reaction-launch-2-ines",
              "emoji": "🚀",
              "person": {
                "id": "person-ines-moreau",
                "full_name": "Inês Moreau",
                "title": "Mobile Engineer",
                "email": "ines.moreau@example.com",
                "avatar_url": "https://avatars.example.com/ines-moreau.png",
                "type": "human"
              }
            }
          ]
        },
        "notifications": [
          {
            "id": "notification-launch-created-tomas",
            "read": false,
            "read_at": null,
            "inserted_at": "2026-01-12T09:00:00.000Z",
            "activity": {
              "id": "activity-launch-created",
              "action": "goal_created",
              "inserted_at": "2026-01-12T09:00:00.000Z",
              "author": {
                "id": "person-mara-lindqvist",
                "full_name": "Mara Lindqvist",
                "title": "Managing Director",
                "email": "mara.lindqvist@example.com",
                "avatar_url": "https://avatars.example.com/mara-lindqvist.png",
                "type": "human"
              }
            }
          }
        ],
        "parent_goal": {
          "id": "goal-reading-community",
          "name": "Be the town’s reading community",
          "description": "By the end of the year a third of our regulars take part in a club, an event or the app.",
          "access_levels": {
            "public": 10,
            "company": 40,
            "space": 70
          },
          "archived_at": null,
          "champion": {
            "id": "person-mara-lindqvist",
            "full_name": "Mara Lindqvist",
            "title": "Managing Director",
            "email": "mara.lindqvist@example.com",
            "avatar_url": "https://avatars.example.com/mara-lindqvist.png",
            "type": "human"
          },
          "reviewer": {
            "id": "person-jonas-weber",
            "full_name": "Jonas Weber",
            "title": "Head of Stores",
            "email": "jonas.weber@example.com",
            "avatar_url": "https://avatars.example.com/jonas-weber.png",
            "type": "human"
          },
          "closed_at": null,
          "closed_by": null,
          "inserted_at": "2026-01-07T09:00:00.000Z",
          "updated_at": "2026-03-30T10:00:00.000Z",
          "is_archived": false,
          "is_closed": false,
          "is_outdated": false,
          "last_check_in_id": "check-in-community-1",
          "my_role": null,
          "next_update_scheduled_at": "2099-12-31T09:00:00.000Z",
          "parent_goal_id": null,
          "permissions": {
            "can_view": true,
            "can_comment": true,
            "can_edit": true,
            "has_full_access": false
          },
          "privacy": "public",
          "progress_percentage": 44,
          "status": "on_track",
          "success": null,
          "timeframe": {
            "contextual_start_date": {
              "date_type": "year",
              "value": "2026",
              "date": "2026-01-01"
            },
            "contextual_end_date": {
              "date_type": "year",
              "value": "2026",
              "date": "2026-12-31"
            }
          }
        },
        "potential_subscribers": [
          {
            "role": "Champion",
            "priority": true,
            "is_subscribed": true,
            "person": {
              "id": "person-tomas-okafor",
              "full_name": "Tomás Okafor",
              "title": "Head of Digital",
              "email": "tomas.okafor@example.com",
              "avatar_url": "https://avatars.example.com/tomas-okafor.png",
              "type": "human"
            }
          },
          {
            "role": "Reviewer",
            "priority": true,
            "is_subscribed": true,
            "person": {
              "id": "person-jonas-weber",
              "full_name": "Jonas Weber",
              "title": "Head of Stores",
              "email": "jonas.weber@example.com",
              "avatar_url": "https://avatars.example.com/jonas-weber.png",
              "type": "human"
            }
          }
        ],
        "projects": [
          {
            "id": "project-android-app",
            "name": "Android app",
            "status": "on_track",
            "privacy": "internal",
            "description": "The same club calendar on everything from 2019 on.",
            "goal_id": "goal-launch-mobile-app",
            "space_id": "space-digital",
            "champion": {
              "id": "person-ines-moreau",
              "full_name": "Inês Moreau",
              "title": "Mobile Engineer",
              "email": "ines.moreau@example.com",
              "avatar_url": "https://avatars.example.com/ines-moreau.png",
              "type": "human"
            },
            "reviewer": {
              "id": "person-tomas-okafor",
              "full_name": "Tomás Okafor",
              "title": "Head of Digital",
              "email": "tomas.okafor@example.com",
              "avatar_url": "https://avatars.example.com/tomas-okafor.png",
              "type": "human"
            },
            "closed_at": "2026-03-20T12:00:00.000Z",
            "is_closed": true,
            "inserted_at": "2026-01-13T09:00:00.000Z",
            "updated_at": "2026-03-20T12:00:00.000Z"
          },
          {
            "id": "project-ios-app",
            "name": "iOS app",
            "status": "on_track",
            "privacy": "public",
            "description": "From the club calendar to the App Store.",
            "goal_id": "goal-launch-mobile-app",
            "space_id": "space-digital",
            "champion": {
              "id": "person-ines-moreau",
              "full_name": "Inês Moreau",
              "title": "Mobile Engineer",
              "email": "ines.moreau@example.com",
              "avatar_url": "https://avatars.example.com/ines-moreau.png",
              "type": "human"
            },
            "reviewer": {
              "id": "person-tomas-okafor",
              "full_name": "Tomás Okafor",
              "title": "Head of Digital",
              "email": "tomas.okafor@example.com",
              "avatar_url": "https://avatars.example.com/tomas-okafor.png",
              "type": "human"
            },
            "closed_at": null,
            "is_closed": false,
            "inserted_at": "2026-01-13T09:00:00.000Z",
            "updated_at": "2026-03-13T09:00:00.000Z"
          }
        ],
        "retrospective": {
          "id": "retrospective-launch",
          "title": "What the launch taught us",
          "content": "{\"type\":\"doc\",\"content\":[{\"type\":\"heading\",\"attrs\":{\"level\":2},\"content\":[{\"type\":\"text\",\"text\":\"Went well\"}]},{\"type\":\"paragraph\",\"content\":[{\"type\":\"text\",\"text\":\"One list for both platforms, and booksellers in the beta from the first day.\"}]},{\"type\":\"heading\",\"attrs\":{\"level\":2},\"content\":[{\"type\":\"text\",\"text\":\"Next time\"}]},{\"type\":\"paragraph\",\"content\":[{\"type\":\"text\",\"text\":\"Ask \"},{\"type\":\"mention\",\"attrs\":{\"id\":\"person-jonas-weber\",\"label\":\"Jonas Weber\"}},{\"type\":\"text\",\"text\":\" for shelf space before the posters are printed.\"}]}]}",
          "author": {
            "id": "person-tomas-okafor",
            "full_name": "Tomás Okafor",
            "title": "Head of Digital",
            "email": "tomas.okafor@example.com",
            "avatar_url": "https://avatars.example.com/tomas-okafor.png",
            "type": "human"
          },
          "inserted_at": "2026-03-27T13:30:00.000Z",
          "comment_count": 2
        },
        "space": {
          "id": "space-digital",
          "name": "Digital",
          "mission": "Bring the shop to the phone without losing what makes it a shop.",
          "is_company_space": false,
          "is_member": true,
          "access_levels": {
            "public": 10,
            "company": 10,
            "space": 70
          }
        },
        "targets": [
          {
            "id": "target-launch-readers",
            "index": 0,
            "name": "Readers who use it every month",
            "from": 0,
            "to": 20000,
            "unit": "readers",
            "value": 17400
          },
          {
            "id": "target-launch-crashes",
            "index": 1,
            "name": "Sessions that crash",
            "from": 4.5,
            "to": 0.5,
            "unit": "%",
            "value": 0.9
          }
        ]
      }
    }
  },
  "deleteResourceHubFile": {
    "request": {
      "file_id": "file-home-screen"
    },
    "response": {
      "file": {
        "id": "file-home-screen",
        "name": "Home screen",
        "description": "First picture in both stores. The book on top is from our own spring list.",
        "author": {
          "id": "person-ines-moreau",
          "full_name": "Inês Moreau",
          "title": "Mobile Engineer",
          "email": "ines.moreau@example.com",
          "avatar_url": "https://avatars.example.com/ines-moreau.png",
          "type": "human"
        },
        "blob": {
          "id": "blob-home-screen",
          "status": "uploaded",
          "filename": "home-screen.png",
          "size": 482133,
          "content_type": "image/png",
          "width": 1170,
          "height": 2532,
          "url": "https://files.example.com/home-screen.png"
        },
        "comments_count": 2,
        "inserted_at": "2026-03-04T10:55:00.000Z",
        "parent_folder": {
          "id": "folder-brand-app-screenshots",
          "name": "Screenshots",
          "description": "As shown in the app stores.",
          "resource_hub_id": "hub-digital",
          "parent_folder_id": "folder-brand-app",
          "children_count": 0
        },
        "parent_folder_id": "folder-brand-app-screenshots",
        "path_to_file": [
          {
            "id": "folder-brand",
            "name": "Brand",
            "description": "Logo, colors and pictures.",
            "resource_hub_id": "hub-digital",
            "parent_folder_id": null,
            "children_count": 2
          },
          {
            "id": "folder-brand-app",
            "name": "App",
            "description": "The lighthouse at 29 pixels and up.",
            "resource_hub_id": "hub-digital",
            "parent_folder_id": "folder-brand",
            "children_count": 1
          }
        ],
        "permissions": {
          "can_view": true,
          "can_comment_on_document": true,
          "can_comment_on_file": true,
          "can_comment_on_link": true,
          "can_create_document": true,
          "can_create_folder": true,
          "can_create_file": true,
          "can_create_link": true,
          "can_edit_document": true,
          "can_edit_file": true,
          "can_edit_link": true,
          "can_edit_parent_folder": true,
          "can_delete_document": true,
          "can_delete_file": true,
          "can_delete_folder": true,
          "can_delete_link": true,
          "can_copy_folder": true,
          "can_rename_folder": true
        },
        "potential_subscribers": [
          {
            "role": "Mobile Engineer",
            "priority": false,
            "is_subscribed": true,
            "person": {
              "id": "person-ines-moreau",
              "full_name": "Inês Moreau",
              "title": "Mobile Engineer",
              "email": "ines.moreau@example.com",
              "avatar_url": "https://avatars.example.com/ines-moreau.png",
              "type": "human"
            }
          },
          {
            "role": "Assistant",
            "priority": false,
            "is_subscribed": false,
            "person": {
              "id": "person-page",
              "full_name": "Page",
              "title": "Assistant",
              "email": "page@example.com",
              "avatar_url": "https://avatars.example.com/page.png",
              "type": "ai"
            }
          }
        ],
        "reactions": [
          {
            "id": "reaction-home-screen-mara",
            "emoji": "😍",
            "person": {
              "id": "person-mara-lindqvist",
              "full_name": "Mara Lindqvist",
              "title": "Managing Director",
              "email": "mara.lindqvist@example.com",
              "avatar_url": "https://avatars.example.com/mara-lindqvist.png",
              "type": "human"
            }
          },
          {
            "id": "reaction-home-screen-page",
            "emoji": "👀",
            "person": {
              "id": "person-page",
              "full_name": "Page",
              "title": "Assistant",
              "email": "page@example.com",
              "avatar_url": "https://avatars.example.com/page.png",
              "type": "ai"
            }
          }
        ],
        "resource_hub": {
          "id": "hub-digital",
          "name": "Digital shelf",
          "description": "What the digital team keeps for longer than a launch.",
          "inserted_at": "2026-01-06T09:00:00.000Z",
          "updated_at": "2026-03-11T09:00:00.000Z"
        },
        "resource_hub_id": "hub-digital",
        "size": 482133,
        "subscription_list": {
          "id": "subscriptions-home-screen",
          "parent_type": "resource_hub_file",
          "send_to_everyone": false,
          "subscriptions": [
            {
              "id": "subscription-home-screen-amir",
              "type": "mentioned",
              "canceled": true,
              "person": {
                "id": "person-amir-haddad",
                "full_name": "Amir Haddad",
                "title": "Events Manager",
                "email": "amir.haddad@example.com",
                "avatar_url": "https://avatars.example.com/amir-haddad.png",
                "type": "human"
              }
            },
            {
              "id": "subscription-home-screen-ines",
              "type": "joined",
              "canceled": false,
              "person": {
                "id": "person-ines-moreau",
                "full_name": "Inês Moreau",
                "title": "Mobile Engineer",
                "email": "ines.moreau@example.com",
                "avatar_url": "https://avatars.example.com/ines-moreau.png",
                "type": "human"
              }
            }
          ]
        },
        "type": "image/png"
      }
    }
  },
  "restoreDocumentVersion": {
    "request": {
      "document_id": "doc-launch-plan",
      "version_number": 1,
      "expected_current_version": 5
    },
    "response": {
      "document": {
        "__typename": "resource_hub_document",
        "id": "doc-launch-plan",
        "name": "Launch plan",
        "content": "The app goes live on Tuesday, 10 March, at eight in the morning. Posters go up the evening before.",
        "author": {
          "id": "person-tomas-okafor",
          "full_name": "Tomás Okafor",
          "title": "Head of Digital",
          "email": "tomas.okafor@example.com",
          "avatar_url": "https://avatars.example.com/tomas-okafor.png",
          "type": "human"
        },
        "comments_count": 2,
        "current_version": 6,
        "versions_count": 6,
        "goal": {
          "id": "goal-launch-mobile-app",
          "name": "Launch the mobile app",
          "description": "{\"type\":\"doc\",\"content\":[{\"type\":\"paragraph\",\"content\":[{\"type\":\"text\",\"text\":\"Readers find their club, their next book and their shop in one app. \"},{\"type\":\"mention\",\"attrs\":{\"id\":\"person-tomas-okafor\",\"label\":\"Tomás Okafor\"}},{\"type\":\"text\",\"text\":\" owns the launch.\"}]},{\"type\":\"bulletList\",\"content\":[{\"type\":\"listItem\",\"content\":[{\"type\":\"paragraph\",\"content\":[{\"type\":\"text\",\"text\":\"iOS and Android on the same day\"}]}]},{\"type\":\"listItem\",\"content\":[{\"type\":\"paragraph\",\"content\":[{\"type\":\"text\",\"text\":\"Reserve in the app, pick up in the shop\"}]}]}]}]}",
          "access_levels": {
            "public": 10,
            "company": 10,
            "space": 70
          },
          "archived_at": null,
          "champion": {
            "id": "person-tomas-okafor",
            "full_name": "Tomás Okafor",
            "title": "Head of Digital",
            "email": "tomas.okafor@example.com",
            "avatar_url": "https://avatars.example.com/tomas-okafor.png",
            "type": "human"
          },
          "reviewer": {
            "id": "person-jonas-weber",
            "full_name": "Jonas Weber",
            "title": "Head of Stores",
            "email": "jonas.weber@example.com",
            "avatar_url": "https://avatars.example.com/jonas-weber.png",
            "type": "human"
          },
          "closed_at": null,
          "closed_by": null,
          "inserted_at": "2026-01-12T09:00:00.000Z",
          "updated_at": "2026-06-15T12:00:00.000Z",
          "is_archived": false,
          "is_closed": false,
          "is_outdated": false,
          "last_check_in_id": "check-in-launch-2",
          "my_role": "champion",
          "next_update_scheduled_at": "2099-12-31T09:00:00.000Z",
          "parent_goal_id": "goal-reading-community",
          "permissions": {
            "can_view": true,
            "can_comment": true,
            "can_edit": true,
            "has_full_access": true
          },
          "privacy": "public",
          "progress_percentage": 84,
          "status": "on_track",
          "success": null,
          "timeframe": {
            "contextual_start_date": {
              "date_type": "day",
              "value": "12 Jan 2026",
              "date": "2026-01-12"
            },
            "contextual_end_date": {
              "date_type": "quarter",
              "value": "Q1 2026",
              "date": "2026-03-31"
            }
          }
        },
        "project": null,
        "space": null,
        "notifications": [
          {
            "id": "notification-launch-plan-edited-tomas",
            "read": false,
            "read_at": null,
            "inserted_at": "2026-02-20T11:15:00.000Z",
            "activity": {
              "id": "activity-launch-plan-edited",
              "action": "resource_hub_document_edited",
              "inserted_at": "2026-02-20T11:15:00.000Z",
              "author": {
                "id": "person-ines-moreau",
                "full_name": "Inês Moreau",
                "title": "Mobile Engineer",
                "email": "ines.moreau@example.com",
                "avatar_url": "https://avatars.example.com/ines-moreau.png",
                "type": "human"
              }
            }
          }
        ],
        "parent_folder": {
          "id": "folder-planning-spring-week",
          "name": "Launch week",
          "description": "The ten days around the tenth of March.",
          "resource_hub_id": "hub-launch",
          "parent_folder_id": "folder-planning-spring",
          "children_count": 2
        },
        "parent_folder_id": "folder-planning-spring-week",
        "path_to_document": [
          {
            "id": "folder-planning",
            "name": "Planning",
            "description": "What happens when.",
            "resource_hub_id": "hub-launch",
            "parent_folder_id": null,
            "children_count": 2
          },
          {
            "id": "folder-planning-spring",
            "name": "Spring",
            "description": "Until the end of March.",
            "resource_hub_id": "hub-launch",
            "parent_folder_id": "folder-planning",
            "children_count": 1
          }
        ],
        "permissions": {
          "can_view": true,
          "can_comment_on_document": true,
          "can_comment_on_file": true,
          "can_comment_on_link": true,
          "can_create_document": true,
          "can_create_folder": true,
          "can_create_file": true,
          "can_create_link": true,
          "can_edit_document": true,
          "can_edit_file": true,
          "can_edit_link": true,
          "can_edit_parent_folder": true,
          "can_delete_document": true,
          "can_delete_file": true,
          "can_delete_folder": true,
          "can_delete_link": true,
          "can_copy_folder": true,
          "can_rename_folder": true
        },
        "potential_subscribers": [
          {
            "role": "Champion",
            "priority": true,
            "is_subscribed": true,
            "person": {
              "id": "person-tomas-okafor",
              "full_name": "Tomás Okafor",
              "title": "Head of Digital",
              "email": "tomas.okafor@example.com",
              "avatar_url": "https://avatars.example.com/tomas-okafor.png",
              "type": "human"
            }
          },
          {
            "role": "Reviewer",
            "priority": true,
            "is_subscribed": true,
            "person": {
              "id": "person-jonas-weber",
              "full_name": "Jonas Weber",
              "title": "Head of Stores",
              "email": "jonas.weber@example.com",
              "avatar_url": "https://avatars.example.com/jonas-weber.png",
              "type": "human"
            }
          }
        ],
        "public_url": "https://work.example.com/public/documents/launch-plan-b7Qm2xT9cKf4Wz",
        "url": "https://work.example.com/documents/doc-launch-plan",
        "published_at": "2026-02-18T10:00:00.000Z",
        "inserted_at": "2026-02-17T17:20:00.000Z",
        "updated_at": "2026-06-15T12:00:00.000Z",
        "reactions": [
          {
            "id": "reaction-launch-plan-mara",
            "emoji": "👏",
            "person": {
              "id": "person-mara-lindqvist",
              "full_name": "Mara Lindqvist",
              "title": "Managing Director",
              "email": "mara.lindqvist@example.com",
              "avatar_url": "https://avatars.example.com/mara-lindqvist.png",
              "type": "human"
            }
          },
          {
            "id": "reaction-launch-plan-amir",
            "emoji": "✅",
            "person": {
              "id": "person-amir-haddad",
              "full_name": "Amir Haddad",
              "title": "Events Manager",
              "email": "amir.haddad@example.com",
              "avatar_url": "https://avatars.example.com/amir-haddad.png",
              "type": "human"
            }
          }
        ],
        "resource_hub": {
          "id": "hub-launch",
          "name": "Launch papers",
          "description": "Plans and films of the app launch.",
          "inserted_at": "2026-01-12T09:00:00.000Z",
          "updated_at": "2026-03-25T09:00:00.000Z"
        },
        "resource_hub_id": "hub-launch",
        "state": "published",
        "subscription_list": {
          "id": "subscriptions-launch-plan",
          "parent_type": "resource_hub_document",
          "send_to_everyone": true,
          "subscriptions": [
            {
              "id": "subscription-launch-plan-jonas",
              "type": "invited",
              "canceled": false,
              "person": {
                "id": "person-jonas-weber",
                "full_name": "Jonas Weber",
                "title": "Head of Stores",
                "email": "jonas.weber@example.com",
                "avatar_url": "https://avatars.example.com/jonas-weber.png",
                "type": "human"
              }
            },
            {
              "id": "subscription-launch-plan-tomas",
              "type": "joined",
              "canceled": false,
              "person": {
                "id": "person-tomas-okafor",
                "full_name": "Tomás Okafor",
                "title": "Head of Digital",
                "email": "tomas.okafor@example.com",
                "avatar_url": "https://avatars.example.com/tomas-okafor.png",
                "type": "human"
              }
            }
          ]
        }
      },
      "restored_version": {
        "__typename": "document_version",
        "id": "019ecb3a-66c0-7000-8000-000000000001",
        "version_number": 6,
        "title": "Launch plan",
        "content": "The app goes live on Tuesday, 10 March, at eight in the morning. Posters go up the evening before.",
        "title_changed": true,
        "content_changed": true,
        "editor": {
          "id": "person-tomas-okafor",
          "full_name": "Tomás Okafor",
          "title": "Head of Digital",
          "email": "tomas.okafor@example.com",
          "avatar_url": "https://avatars.example.com/tomas-okafor.png",
          "type": "human"
        },
        "inserted_at": "2026-06-15T12:00:00.000Z",
        "is_current": true,
        "origin": "restored",
        "restored_from_version_number": 1
      }
    }
  },
  "recoverResourceHubFile": {
    "request": {
      "file_id": "file-old-logo"
    },
    "response": {
      "file": {
        "id": "file-old-logo",
        "name": "Old logo",
        "description": null,
        "author": {
          "id": "person-otto-brandt",
          "full_name": "Otto Brandt",
          "title": "Web Developer",
          "email": "otto.brandt@example.com",
          "avatar_url": "https://avatars.example.com/otto-brandt.png",
          "type": "human"
        },
        "blob": {
          "id": "blob-old-logo",
          "status": "deleted",
          "filename": "logo-2019.gif",
          "size": 9120,
          "content_type": "image/gif",
          "width": 88,
          "height": 31,
          "url": "https://files.example.com/logo-2019.gif"
        },
        "comments_count": 0,
        "inserted_at": "2026-01-08T09:00:00.000Z",
        "parent_folder": {
          "id": "folder-brand",
          "name": "Brand",
          "description": "Logo, colors and pictures.",
          "resource_hub_id": "hub-digital",
          "parent_folder_id": null,
          "children_count": 3
        },
        "parent_folder_id": "folder-brand",
        "path_to_file": [
          {
            "id": "folder-brand",
            "name": "Brand",
            "description": "Logo, colors and pictures.",
            "resource_hub_id": "hub-digital",
            "parent_folder_id": null,
            "children_count": 3
          }
        ],
        "permissions": {
          "can_view": true,
          "can_comment_on_document": true,
          "can_comment_on_file": true,
          "can_comment_on_link": true,
          "can_create_document": true,
          "can_create_folder": true,
          "can_create_file": true,
          "can_create_link": true,
          "can_edit_document": true,
          "can_edit_file": true,
          "can_edit_link": true,
          "can_edit_parent_folder": true,
          "can_delete_document": true,
          "can_delete_file": true,
          "can_delete_folder": true,
          "can_delete_link": true,
          "can_copy_folder": true,
          "can_rename_folder": true
        },
        "potential_subscribers": [
          {
            "role": "Mobile Engineer",
            "priority": false,
            "is_subscribed": false,
            "person": {
              "id": "person-ines-moreau",
              "full_name": "Inês Moreau",
              "title": "Mobile Engineer",
              "email": "ines.moreau@example.com",
              "avatar_url": "https://avatars.example.com/ines-moreau.png",
              "type": "human"
            }
          },
          {
            "role": "Assistant",
            "priority": false,
            "is_subscribed": false,
            "person": {
              "id": "person-page",
              "full_name": "Page",
              "title": "Assistant",
              "email": "page@example.com",
              "avatar_url": "https://avatars.example.com/page.png",
              "type": "ai"
            }
          }
        ],
        "reactions": [],
        "resource_hub": {
          "id": "hub-digital",
          "name": "Digital shelf",
          "description": "What the digital team keeps for longer than a launch.",
          "inserted_at": "2026-01-06T09:00:00.000Z",
          "updated_at": "2026-03-11T09:00:00.000Z"
        },
        "resource_hub_id": "hub-digital",
        "size": 9120,
        "subscription_list": null,
        "type": "image/gif"
      }
    }
  }
};
